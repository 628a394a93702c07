import { render } from "solid-js/web";
import "@fontsource-variable/geist/index.css";
import "@fontsource-variable/geist-mono/index.css";
import "./styles/tokens.css";
import "./styles/app.css";
import "./styles/swarm.css";
import "./styles/session.css";
import "./styles/artifacts.css";
import { App } from "./app.tsx";
import { forget, signIn } from "./data/auth.ts";
import { createDaemon, DaemonContext } from "./data/daemon.ts";
import { createHttpApi } from "./data/http.ts";
import { openLine } from "./data/line.ts";
import { SignInPage } from "./shell/sign-in.tsx";
import "./shell/theme.ts";

/** Signs in, opens the line to the daemon, draws the page. Everything shown comes from that daemon. */
async function start(root: HTMLElement): Promise<void> {
  const signed = await signIn(location, history);
  if (signed.state === "signed-out") {
    render(() => <SignInPage reason={signed.reason} />, root);
    return;
  }
  const api = createHttpApi(signed.token, forget);
  const url = new URL("/v1/stream", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  render(() => {
    const daemon = createDaemon(api, (events) => openLine(url.href, () => api.ticket(), events));
    return (
      <DaemonContext.Provider value={daemon}>
        <App />
      </DaemonContext.Provider>
    );
  }, root);
}

const root = document.getElementById("root");
if (root) void start(root);
