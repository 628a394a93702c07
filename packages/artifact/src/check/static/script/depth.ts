/** Deeper than any person writes. The parser recurses on the machine's stack and takes the process along when it ends. */
const BRACKETS_MAX = 500;
const CHAIN_MAX = 2_500;
const WORDS = /\b(?:if|while|with|do|new|typeof|void|delete|await|yield)\b/y;

/**
 * Why a script is too deep to be given to the parser, or undefined. Brackets nest; operators and statements without a
 * separator between them may nest (`a ? b : c ? …`, `if (a) if (b) …`, `else if …`). A count, not a parse: signs in
 * strings count too, which no honest script notices.
 */
export function tooDeep(text: string): string | undefined {
  let brackets = 0;
  let chain = 0;
  let elses = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x7b: // {
        chain = 0;
      // falls through
      case 0x28: // (
      case 0x5b: // [
        if (++brackets > BRACKETS_MAX) return `brackets are nested deeper than ${BRACKETS_MAX}`;
        break;
      case 0x7d: // }
        chain = 0;
      // falls through
      case 0x29: // )
      case 0x5d: // ]
        if (brackets > 0) brackets--;
        break;
      case 0x2c: // ,
      case 0x3b: // ;
        chain = 0;
        break;
      case 0x21: // !
      case 0x3a: // :
      case 0x3d: // =
      case 0x3f: // ?
      case 0x7e: // ~
        chain++;
        break;
      case 0x65: // e: else
        if (text.startsWith("else", i) && ++elses > CHAIN_MAX) return `more than ${CHAIN_MAX} else branches`;
        break;
      case 0x61: // a d i n t v w y: the first letters of the words
      case 0x64:
      case 0x69:
      case 0x6e:
      case 0x74:
      case 0x76:
      case 0x77:
      case 0x79:
        WORDS.lastIndex = i;
        if (WORDS.test(text)) chain++;
        break;
      default:
    }
    if (chain > CHAIN_MAX) return `one expression or statement holds more than ${CHAIN_MAX} others`;
  }
  return undefined;
}
