#!/usr/bin/env node
// The npm package's command. In words that any Node.js reads, so that one that is too old is refused in a sentence.
'use strict';
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `Failed to start pulumi-runner-agent with Node.js ${process.versions.node}: it needs version 24 or newer. Install one, or take the single file of the release.\n`,
  );
  process.exitCode = 2;
} else {
  import('../dist/agent/index.js');
}
