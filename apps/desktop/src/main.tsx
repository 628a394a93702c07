import { render } from "solid-js/web";
import "@fontsource-variable/geist/index.css";
import "@fontsource-variable/geist-mono/index.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/cards.css";
import "./styles/layers.css";
import "./styles/swarm.css";
import "./styles/session.css";
import "./styles/inspector.css";
import "./styles/records.css";
import "./styles/inbox.css";
import "./styles/artifacts.css";
import "./styles/narrow.css";
import { App } from "./app.tsx";
import { createDaemonApi } from "./data/api.ts";
import { forget, signIn } from "./data/auth.ts";
import { createDaemon, DaemonContext } from "./data/daemon.ts";
import { SignInPage } from "./shell/sign-in.tsx";
import "./shell/theme.ts";

/** Signs in, opens the line to the daemon, draws the page. Everything shown comes from that daemon. */
async function start(root: HTMLElement): Promise<void> {
  const signed = await signIn(location, history);
  if (signed.state === "signed-out") {
    render(() => <SignInPage reason={signed.reason} />, root);
    return;
  }
  render(() => {
    const daemon = createDaemon(
      createDaemonApi(signed.token, () => {
        forget();
        daemon.refuse();
      }),
    );
    return (
      <DaemonContext.Provider value={daemon}>
        <App />
      </DaemonContext.Provider>
    );
  }, root);
}

const root = document.getElementById("root");
if (root) void start(root);
