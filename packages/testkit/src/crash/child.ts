/** The process that is killed: 100 writers on one journal, each step announced (`S`) and acknowledged (`A`) on stdout. */
import { diskPlace, openJournal } from "@swarm/journal";
import { openLevelStore } from "@swarm/kv";
import { silentLogger, systemClock } from "@swarm/std";
import { tallyKinds, tallyProjections } from "../journal/kinds.ts";
import { sabotage, type Saboteur } from "./saboteurs.ts";
import { stepOf, streamOf } from "./workload.ts";

interface Config {
  readonly home: string;
  readonly round: string;
  readonly writers: number;
  readonly saboteur?: Saboteur;
}

const { home, round, writers, saboteur } = JSON.parse(process.argv[2]!) as Config;
const open = async (location: string) => {
  const store = await openLevelStore(location);
  return saboteur ? sabotage(store, saboteur) : store;
};
const place = diskPlace(home, silentLogger, open);
const journal = await openJournal({
  home,
  place,
  kinds: tallyKinds,
  projections: tallyProjections,
  clock: systemClock,
  logger: silentLogger,
});
process.stdin.on("end", () => process.exit(0)).resume();

let lines = "";
/** A pipe is written synchronously: a line that was said is in the parent's hands, whatever happens next. */
function say(line: string): void {
  if (lines === "") {
    setImmediate(() => {
      process.stdout.write(lines);
      lines = "";
    });
  }
  lines += `${line}\n`;
}

say("READY");
await Promise.all(
  Array.from({ length: writers }, async (_, writer) => {
    for (let n = 0; ; n++) {
      const step = stepOf(journal, round, writer, n);
      journal.chunk(streamOf(round, writer), (n % 3) * 100, "streamed ".repeat(20));
      say(`S ${writer} ${n}`);
      const applied = await journal.apply(step.mutations);
      say(`A ${writer} ${n} ${applied.map(({ seq, rev }) => `${seq}:${rev}`).join(" ")}`);
    }
  }),
);
