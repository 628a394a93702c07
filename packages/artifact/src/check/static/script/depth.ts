/** Deeper than any person writes. The parser recurses on the machine's stack and takes the process along when it ends. */
const BRACKETS_MAX = 500;
const CHAIN_MAX = 2_500;
const WORDS = /\b(?:if|while|with|do|new|typeof|void|delete|await|yield)\b/y;

const codes = (signs: string): ReadonlySet<number> => new Set(Array.from(signs, (sign) => sign.charCodeAt(0)));
const OPEN_ROUND = 0x28;
const CLOSE_ROUND = 0x29;
const OPEN_SQUARE = 0x5b;
const CLOSE_SQUARE = 0x5d;
const OPEN_CURLY = 0x7b;
const CLOSE_CURLY = 0x7d;
const SEPARATORS = codes("{},;");
const OPERATORS = codes("!:=?~");
const FIRST_LETTERS = codes("adeintvwy");

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
    const sign = text.charCodeAt(i);
    if (sign === OPEN_CURLY || sign === OPEN_ROUND || sign === OPEN_SQUARE) {
      if (++brackets > BRACKETS_MAX) return `brackets are nested deeper than ${BRACKETS_MAX}`;
    } else if ((sign === CLOSE_CURLY || sign === CLOSE_ROUND || sign === CLOSE_SQUARE) && brackets > 0) brackets--;
    if (SEPARATORS.has(sign)) chain = 0;
    else if (OPERATORS.has(sign)) chain++;
    else if (FIRST_LETTERS.has(sign)) {
      if (text.startsWith("else", i) && ++elses > CHAIN_MAX) return `more than ${CHAIN_MAX} else branches`;
      WORDS.lastIndex = i;
      if (WORDS.test(text)) chain++;
    }
    if (chain > CHAIN_MAX) return `one expression or statement holds more than ${CHAIN_MAX} others`;
  }
  return undefined;
}
