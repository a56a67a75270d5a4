/*
 * cli/: the program `pulumi-runner-agent`, one file or folder a command. Read in this order:
 *
 *   index.ts          the entry: the only file here that reads `process.env` and calls `process.exit`
 *   main.ts           chooses the command, and turns its error into an exit code
 *   command-line.ts   parses the arguments by command-help.ts, the table of the commands and their flags; usage.ts has
 *                     their help and settings-help.ts that of the settings, both on line-wrap.ts
 *   run.ts            assembles an agent: ours by own-agent.ts, or Pulumi's; run-tracing.ts has its runs' traces
 *   trigger.ts, plan.ts, engine.ts   work on a session.ts: a configuration, and a connection where they need one
 *   doctor/doctor.ts, set-up/set-up.ts, configure.ts   help to set up; questions.ts asks the user
 *   debug.ts          runs a job from a file, without Pulumi Cloud
 *   sweep.ts, trace.ts, verify.ts, wire.ts   work on what a run left
 *
 * The commands `ci` and `finish` are in ci-step/hosts/ci-commands.ts.
 */

import { endSentence } from '../agent/runs/end.ts';
import { withoutServiceMessages } from '../base/log/service-messages.ts';
import { allowSlowHandshakes } from '../base/network/handshakes.ts';
import { codeOf, exitCodeOf, messageOf, OutcomeError } from '../base/outcome.ts';
import { VERSION } from '../base/version.ts';
import type { CommandName } from './command-help.ts';
import { type CommandSources, parseCommand } from './command-line.ts';
import { configure } from './configure.ts';
import { debug } from './debug.ts';
import { doctor } from './doctor/doctor.ts';
import { engine } from './engine.ts';
import { plan } from './plan.ts';
import { run } from './run.ts';
import { setUp } from './set-up/set-up.ts';
import { sweep } from './sweep.ts';
import { trace } from './trace.ts';
import { trigger } from './trigger.ts';
import { verify } from './verify.ts';
import { wire } from './wire.ts';

export interface MainSources extends Omit<CommandSources<CommandName>, 'command' | 'process'> {
  readonly argv: readonly string[];
  /** The script of this program; absent for a single file. */
  readonly script?: string | undefined;
  readonly process: NodeJS.Process;
}

/** Runs the command that `argv` names. Returns the exit code. */
export async function main({ argv, script, ...sources }: MainSources): Promise<number> {
  allowSlowHandshakes();

  try {
    const command = parseCommand(argv);
    switch (command.name) {
      case 'run':
        return await run({ command, ...sources });
      case 'ci':
      case 'finish': {
        // Loaded only here: no other command needs to know CI systems.
        const { ci, finish } = await import('../ci-step/hosts/ci-commands.ts');
        return await (command.name === 'ci'
          ? ci({ command, script, ...sources })
          : finish({ script, ...sources }));
      }
      case 'trigger':
        return await trigger({ command, ...sources });
      case 'plan':
        return await plan({ command, ...sources });
      case 'doctor':
        return await doctor({ command, ...sources });
      case 'set-up':
        return await setUp({ command, ...sources });
      case 'configure':
        return await configure({ command, ...sources });
      case 'debug':
        return await debug({ command, ...sources });
      case 'engine':
        return await engine({ command, ...sources });
      case 'sweep':
        return await sweep({ command, ...sources });
      case 'trace':
        return await trace({ command, ...sources });
      case 'verify':
        return await verify({ command, ...sources });
      case 'wire':
        return await wire({ command, ...sources });
      case 'version':
        sources.process.stdout.write(`${VERSION}\n`);
        return 0;
      case 'help':
        sources.process.stdout.write(command.text);
        return 0;
    }
  } catch (error) {
    const exitCode = error instanceof OutcomeError ? exitCodeOf(error.outcome) : 1;
    // It may quote a server.
    const sentence = endSentence({ exitCode, message: messageOf(error), code: codeOf(error) });
    sources.process.stderr.write(`${withoutServiceMessages(sentence)}\n`);
    return exitCode;
  }
}
