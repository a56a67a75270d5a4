import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MACHINE_FILE } from '../../../src/base/config/config-file.ts';
import { ROOT, read } from '../../support/documents/pages.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const me = process.getuid?.() ?? 0;

/** Reads `file` as the machine's in another process, which isn't root once it has the program: that may lie below /root. */
function readAsUser(file: string, top: string): string {
  const script = `
    const { readOfRoot } = await import(${JSON.stringify(join(ROOT, 'src/base/config/trusted-file.ts'))});
    if (${me} === 0) { process.setgroups([]); process.setgid(65_534); process.setuid(65_534); }
    try { console.log(readOfRoot(${JSON.stringify(file)}, { owner: ${me}, top: ${JSON.stringify(top)} })); }
    catch (error) { console.log(error.message); }`;
  const words = ['--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return stdout === '' ? stderr : stdout.trim();
}

it.each(['600', '640'])(
  'the machine’s file with the mode %s is named with its owner where it can’t be read',
  async (mode) => {
    const folder = await temporaryDirectory();
    const file = join(folder, 'agent.yaml');
    writeFileSync(file, 'allowed_stacks: acme/*/dev\ntoken: pul-1\n');
    chmodSync(folder, 0o755);
    chmodSync(file, 0o644);
    expect(readAsUser(file, folder)).toContain('allowed_stacks');
    // Its owner can't read it either where the test isn't root.
    chmodSync(file, me === 0 ? Number.parseInt(mode, 8) : 0o040);
    const message = readAsUser(file, folder);
    expect(message).toMatch(
      /^this user can't read \S+agent\.yaml \(mode \d+, user \d+, group \d+\), whose lists count/,
    );
    expect(message).not.toMatch(/chmod|pul-1/);
  },
);

it('is not where the systemd unit keeps the settings that its user can’t read, as they hold the token', () => {
  const unit = read('examples/systemd/pulumi-runner-agent.service');
  const [, settings] = /^LoadCredential=settings:(.+)$/m.exec(unit) ?? [];
  const [, folder] = /sudo install -D -m 600 -t (\S+) pulumi-workflow-agent\.yaml/.exec(unit) ?? [];
  expect(settings).not.toBe(MACHINE_FILE);
  expect(settings).toBe(`${folder}/pulumi-workflow-agent.yaml`);
});
