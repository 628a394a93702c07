#!/usr/bin/env node
// `swarm` on the PATH (npm link): the same first step, then the command line.
process.argv.splice(2, 0, "swarm");
await import("./bootstrap.mjs");
