import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../src/base/config/load.ts';
import { readOfRoot, readText } from '../../../../src/base/config/trusted-file.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

let top: string;
let etc: string;
let file: string;
beforeEach(async () => {
  top = await temporaryDirectory();
  etc = join(top, 'etc');
  file = join(etc, 'agent.yaml');
  mkdirSync(etc);
  chmodSync(etc, 0o755);
  put('token: pul-1\n');
});

function put(text: string, mode = 0o644): void {
  writeFileSync(file, text);
  chmodSync(file, mode);
}

describe('any configuration file', () => {
  it.each([0o600, 0o644, 0o664, 0o444])('may have the mode %o', (mode) => {
    chmodSync(file, mode);
    expect(loadConfig({ workingDirectory: top, environment: {}, file }).config.token).toBe('pul-1');
    expect(loadConfig({ workingDirectory: top, environment: {}, directories: [etc], file }).file).toBe(file);
  });

  it.each([0o666, 0o646, 0o602])(
    'is refused with the mode %o, as every user can write to it, named or found',
    (mode) => {
      put('image: 5\n', mode);
      const refusal = `${file}: the file cannot be read: every user can write to it (mode ${mode.toString(8)}); take that right away: chmod o-w ${file}`;
      expect(() => loadConfig({ workingDirectory: top, environment: {}, file })).toThrow(refusal);
      renameSync(file, join(etc, 'pulumi-workflow-agent.yaml'));
      expect(() => loadConfig({ workingDirectory: top, environment: {}, directories: [etc] })).toThrow(
        'chmod o-w',
      );
    },
  );

  it('may be a pipe, such as a shell’s <(…), or a device', () => {
    const fifo = join(top, 'fifo');
    execFileSync('mkfifo', ['--mode=666', fifo]);
    execFileSync('sh', ['-c', `echo token: pul-2 > '${fifo}' &`], { stdio: 'ignore' });
    expect(readText(fifo)).toBe('token: pul-2\n');
    expect(readText('/dev/null')).toBe('');
  });
});

/** As if this user were root, and its folder the root folder. */
const readAsRoots = (owner = process.getuid?.() ?? 0) => readOfRoot(file, { owner, top });

describe('the machine’s file', () => {
  it('is read if its owner alone can change it', () => {
    expect(readAsRoots()).toBe('token: pul-1\n');
    chmodSync(file, 0o600);
    expect(readAsRoots()).toBe('token: pul-1\n');
  });

  it('may be missing, or a folder, which Docker makes in its place', () => {
    renameSync(file, join(top, 'away'));
    expect(readAsRoots()).toBeUndefined();
    mkdirSync(file);
    expect(readAsRoots()).toBeUndefined();
  });

  it.each([0o664, 0o646, 0o620])('is refused with the mode %o', (mode) => {
    chmodSync(file, mode);
    expect(readAsRoots).toThrow(
      `${file} can be written by others (mode ${mode.toString(8)}), but root alone must`,
    );
  });

  it.each([0o775, 0o757, 0o1777])('is refused in a folder with the mode %o, or below one', (mode) => {
    chmodSync(etc, mode);
    expect(readAsRoots).toThrow(
      `${etc} can be written by others (mode ${mode.toString(8)}), but root alone must`,
    );
    chmodSync(etc, 0o755);
    chmodSync(top, mode);
    expect(readAsRoots).toThrow(`${top} can be written by others`);
  });

  it('is refused if another user owns it or its folder', () => {
    const me = process.getuid?.() ?? 0;
    expect(() => readAsRoots(me + 1)).toThrow(`${etc} belongs to the user ${me}, but root alone must`);
  });

  it('is refused if it is a link, or its folder is one', () => {
    const real = join(top, 'real.yaml');
    renameSync(file, real);
    symlinkSync(real, file);
    expect(readAsRoots).toThrow(`${file} is a link, but root alone must`);
    renameSync(etc, join(top, 'elsewhere'));
    symlinkSync('elsewhere', etc);
    renameSync(real, join(etc, 'plain'));
    linkSync(join(etc, 'plain'), join(etc, 'linked'));
    expect(() => readOfRoot(join(etc, 'linked'), { owner: process.getuid?.() ?? 0, top })).toThrow(
      `${etc} is a link`,
    );
  });
});
