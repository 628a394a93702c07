/**
 * The floor: the same two requests per session as bare loops in one Node process, nothing kept, checked or shown.
 * Usage: floor.ts <port> <n>; prints one JSON line.
 */
import { Agent, request } from "node:http";

const port = Number(process.argv[2]);
const n = Number(process.argv[3]);
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

interface Turn {
  text: string;
  args: string;
  call: string | undefined;
}

function ask(messages: unknown[]): Promise<Turn> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port,
        path: "/v1/chat/completions",
        method: "POST",
        agent,
        headers: { "content-type": "application/json" },
      },
      (response) => {
        const turn: Turn = { text: "", args: "", call: undefined };
        let rest = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          const frames = (rest + chunk).split("\n\n");
          rest = frames.pop() ?? "";
          for (const frame of frames) {
            if (!frame.startsWith("data: {")) continue;
            const delta = (
              JSON.parse(frame.slice(6)) as {
                choices: {
                  delta?: { content?: string; tool_calls?: { id?: string; function: { arguments?: string } }[] };
                }[];
              }
            ).choices[0]?.delta;
            if (delta?.content) turn.text += delta.content;
            const call = delta?.tool_calls?.[0];
            if (call?.id) turn.call = call.id;
            if (call?.function.arguments) turn.args += call.function.arguments;
          }
        });
        response.on("end", () => resolve(turn));
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify({ model: "card", stream: true, messages }));
  });
}

async function session(index: number): Promise<void> {
  const messages: unknown[] = [{ role: "user", content: `card ${index}` }];
  const first = await ask(messages);
  messages.push({
    role: "assistant",
    tool_calls: [{ id: first.call, type: "function", function: { name: "manage_artifact", arguments: first.args } }],
  });
  messages.push({ role: "tool", tool_call_id: first.call, content: '{"ok":true}' });
  const second = await ask(messages);
  if (second.text === "") throw new Error("no text");
}

await session(-1);
await new Promise((resolve) => setTimeout(resolve, 1000));
const cpu = process.cpuUsage();
const baseRss = process.memoryUsage.rss();
let peakRss = baseRss;
const timer = setInterval(() => (peakRss = Math.max(peakRss, process.memoryUsage.rss())), 50);
const started = performance.now();
await Promise.all(Array.from({ length: n }, (_, i) => session(i)));
const wallS = (performance.now() - started) / 1000;
clearInterval(timer);
const used = process.cpuUsage(cpu);
console.log(
  JSON.stringify({
    wallS,
    cpuPerSessionS: (used.user + used.system) / 1e6 / n,
    peakRssMib: peakRss / 1048576,
    marginalMib: (peakRss - baseRss) / 1048576 / n,
  }),
);
process.exit(0);
