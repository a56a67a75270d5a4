import { execFileSync } from 'node:child_process';

/** The address of the engine's bridge on this machine, by the kernel: an engine may not say it until its second start. */
export function bridgeAddress(): string {
  const shown = execFileSync('ip', ['-4', '-oneline', 'address', 'show', 'dev', 'docker0'], {
    encoding: 'utf8',
  });
  const [, address] = / inet ([\d.]+)\//.exec(shown) ?? [];
  if (address === undefined) throw new Error(`docker0 has no address: ${shown}`);
  return address;
}
