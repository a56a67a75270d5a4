import { configReference } from '../config/reference.ts';
import { codeOf, exitCodeOf, messageOf, OutcomeError } from '../outcome.ts';
import { VERSION } from '../version.ts';
import { parseCommand } from './cli.ts';
import { configure } from './configure/configure.ts';
import { debug } from './debug/debug.ts';
import { doctor } from './doctor/doctor.ts';
import { plan } from './plan/plan.ts';
import { run } from './run.ts';
import { explained } from './run-failure.ts';
import { runSweep } from './sweep.ts';
import { trigger } from './trigger/trigger.ts';
import { usage } from './usage.ts';

export interface MainSources {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly agentDirectory: string;
  readonly process: NodeJS.Process;
  /** Ends the process, whatever still runs in it. */
  readonly exit: (code: number) => void;
}

/** The agent's program. Returns the exit code. */
export async function main({ argv, ...sources }: MainSources): Promise<number> {
  try {
    const command = parseCommand(argv);
    switch (command.name) {
      case 'run':
        return await run({ command, ...sources });
      case 'trigger':
        return await trigger({ command, ...sources });
      case 'plan':
        return await plan({ command, ...sources });
      case 'doctor':
        return await doctor({ command, ...sources });
      case 'configure':
        return await configure({ command, ...sources });
      case 'debug':
        return await debug({ command, ...sources });
      case 'sweep':
        return await runSweep({ command, ...sources });
      case 'version':
        sources.process.stdout.write(`${VERSION}\n`);
        return 0;
      case 'help':
        sources.process.stdout.write(usage(configReference(), command.of));
        return 0;
    }
  } catch (error) {
    const exitCode = error instanceof OutcomeError ? exitCodeOf(error.outcome) : 1;
    sources.process.stderr.write(`${explained({ exitCode, message: messageOf(error), code: codeOf(error) })}\n`);
    return exitCode;
  }
}
