import type { JSX } from "solid-js";
import { For, Show } from "solid-js";

/** The little Markdown that agents write: fences, lists, `code`, **bold**. Text nodes only: nothing is markup. */
type Block =
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "list"; readonly items: readonly string[] }
  | { readonly type: "text"; readonly text: string };

export function blocksOf(source: string): readonly Block[] {
  const out: Block[] = [];
  for (const [i, piece] of source.split(/^```/m).entries()) {
    if (i % 2 === 1) {
      const end = piece.indexOf("\n");
      out.push({
        type: "code",
        language: end < 0 ? piece : piece.slice(0, end).trim(),
        text: end < 0 ? "" : piece.slice(end + 1).trimEnd(),
      });
      continue;
    }
    for (const paragraph of piece.split(/\n{2,}/)) {
      const lines = paragraph.split("\n").filter((l) => l.trim() !== "");
      if (lines.length === 0) continue;
      if (lines.every((l) => /^\s*[-*•] /.test(l)))
        out.push({ type: "list", items: lines.map((l) => l.replace(/^\s*[-*•] /, "")) });
      else out.push({ type: "text", text: lines.join("\n").replace(/^#{1,4} /, "") });
    }
  }
  return out;
}

function Inline(props: { text: string }): JSX.Element {
  const pieces = (): string[] => props.text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/);
  return (
    <For each={pieces()}>
      {(piece) =>
        piece.startsWith("`") && piece.length > 2 ? (
          <code>{piece.slice(1, -1)}</code>
        ) : piece.startsWith("**") && piece.length > 4 ? (
          <b>{piece.slice(2, -2)}</b>
        ) : (
          <>{piece}</>
        )
      }
    </For>
  );
}

export function Prose(props: { text: string; caret?: boolean }): JSX.Element {
  const blocks = (): readonly Block[] => blocksOf(props.text);
  return (
    <div class="say">
      <For each={blocks()}>
        {(block, i) => {
          const caret = (): JSX.Element => (
            <Show when={props.caret === true && i() === blocks().length - 1}>
              <span class="cur" />
            </Show>
          );
          if (block.type === "code") return <pre class="term">{block.text}</pre>;
          if (block.type === "list") {
            return (
              <ul class="dots">
                <For each={block.items}>
                  {(item) => (
                    <li>
                      <Inline text={item} />
                    </li>
                  )}
                </For>
              </ul>
            );
          }
          return (
            <p>
              <Inline text={block.text} />
              {caret()}
            </p>
          );
        }}
      </For>
      <Show when={props.caret === true && blocks().length === 0}>
        <p>
          <span class="cur" />
        </p>
      </Show>
    </div>
  );
}
