import { execFile, execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { temporaryDirectory } from '../run/temporary-directory.ts';
import { programPath } from '../script.ts';

/** What a program says of the tests' own provider where the CLI downloads it. */
export const DOWNLOADED = '';
const VERSION = '1.0.0';

/** A program of two resources of the tests' own provider, of which the second takes `seconds`. */
const programOf = (provider: string, seconds: number): string => `name: network
runtime: yaml
${provider}resources:
  first:
    type: tempo:Work
    options:
      version: ${VERSION}
  slow:
    type: tempo:Work
    properties:
      seconds: ${seconds}
    options:
      version: ${VERSION}
      dependsOn: ["\${first}"]
`;

/** How a command of the CLI ended, and what it printed. */
export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Pulumi's CLI as a process of this machine, signed in to the emulated Pulumi Cloud as a user. */
export async function pulumiCli(
  { url, userToken }: Pick<PulumiCloud, 'url' | 'userToken'>,
  { seconds = 0, provider }: { readonly seconds?: number; readonly provider?: string } = {},
) {
  const [folder, home, repository] = [
    await programPath('pulumi'),
    await temporaryDirectory(),
    await temporaryDirectory(),
  ];
  const path = dirname(await programPath('pulumi-tempo'));
  const local = `plugins:\n  providers:\n    - name: tempo\n      path: ${path}\n`;
  /** For a job too: what the CLI needs, but for the service's address. */
  const environment = {
    PATH: `${folder}:${process.env['PATH']}`,
    PULUMI_HOME: home,
    PULUMI_SKIP_UPDATE_CHECK: 'true',
  };
  await mkdir(repository, { recursive: true });
  await writeFile(join(repository, 'Pulumi.yaml'), programOf(provider ?? local, seconds));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: repository,
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=program');
  const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<CliResult> =>
    new Promise((resolve) => {
      execFile(
        join(folder, 'pulumi'),
        [...args, '--non-interactive'],
        {
          cwd: repository,
          env: { ...environment, PULUMI_API: url, PULUMI_ACCESS_TOKEN: userToken, ...more },
        },
        (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
      );
    });
  return {
    environment,
    repository,
    run,
    /** Runs a command that must succeed, and returns its standard output. */
    output: async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(args);
      if (code !== 0) throw new Error(`pulumi ${args.join(' ')} exited with ${code}: ${stderr || stdout}`);
      return stdout;
    },
  };
}
