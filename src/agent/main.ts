import { configReference } from '../config/help.ts';
import { exitCodeOf, messageOf, OutcomeError } from '../outcome.ts';
import { VERSION } from '../version.ts';
import { parseCommand } from './cli.ts';
import { explained } from './run-failure.ts';
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
  // Its streams are read where they are needed: Node makes them at the first look, which takes 2 ms.
  try {
    const command = parseCommand(argv);
    switch (command.name) {
      case 'run': {
        const { run } = await import('./run.ts');
        return await run({ command, ...sources });
      }
      case 'trigger': {
        const { trigger } = await import('./trigger/trigger.ts');
        return await trigger({ command, ...sources });
      }
      case 'plan': {
        const { plan } = await import('./plan/plan.ts');
        return await plan({ command, ...sources });
      }
      case 'doctor': {
        const { doctor } = await import('./doctor/doctor.ts');
        return await doctor({ command, ...sources });
      }
      case 'configure': {
        const { configure } = await import('./configure/configure.ts');
        return await configure({ command, ...sources });
      }
      case 'debug': {
        const { debug } = await import('./debug/debug.ts');
        return await debug({ command, ...sources });
      }
      case 'sweep': {
        const { runSweep } = await import('./sweep.ts');
        return await runSweep({ command, ...sources });
      }
      case 'version':
        sources.process.stdout.write(`${VERSION}\n`);
        return 0;
      case 'help':
        sources.process.stdout.write(usage(configReference(), command.of));
        return 0;
    }
  } catch (error) {
    const exitCode = error instanceof OutcomeError ? exitCodeOf(error.outcome) : 1;
    sources.process.stderr.write(`${explained({ exitCode, message: messageOf(error) })}\n`);
    return exitCode;
  }
}
