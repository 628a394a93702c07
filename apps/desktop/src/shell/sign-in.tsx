import type { JSX } from "solid-js";
import { Mark } from "./side.tsx";

const WORDS = {
  "no-token": "This page needs the address that the daemon printed: it holds a code that opens it once.",
  "code-refused": "The code in this address is used up or older than 60 seconds.",
  unreachable: "The daemon does not answer at this address.",
  refused: "This page's token is no longer valid: the daemon made a new one.",
} as const;

export function SignInPage(props: { reason: keyof typeof WORDS }): JSX.Element {
  return (
    <main class="gate" id="main">
      <div>
        <Mark />
        <h1>Swarm</h1>
        <p>{WORDS[props.reason]}</p>
        <p>Run one of these in a terminal and open the address it prints:</p>
        <dl>
          <dt>
            <code>swarm up</code>
          </dt>
          <dd>starts the daemon</dd>
          <dt>
            <code>swarm open</code>
          </dt>
          <dd>when it runs already</dd>
        </dl>
      </div>
    </main>
  );
}
