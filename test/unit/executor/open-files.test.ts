import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { read } from '../../support/documents/pages.ts';

/** What a step's script does before the step begins. */
const [RAISE = ''] = read(join('src/executor/docker/step', 'step.sh')).split('trap : HUP');

/** The soft limit that the script sets where the shell has these, empty if it sets none. */
function raised(shell: string, soft: string, hard: string): string {
  const ulimit = `ulimit() { case $1$2 in -Sn) echo ${soft} ;; -Hn) echo ${hard} ;; *) set="$2" ;; esac; }`;
  const script = `${ulimit}\n${RAISE}\necho "$set $# $1 $4"`;
  const output = execFileSync(shell, ['-c', script, shell, 'one', '2', '3', 'four'], { encoding: 'utf8' });
  expect(output).toMatch(/^\S* 6 one four\n$/);
  return output.split(' ')[0] ?? '';
}

describe.each(['bash', 'dash'])('a step’s soft limit of open files in %s', (shell) => {
  it.each([
    ['1024', '4096', '4096'],
    ['1024', '1048576', '1048576'],
    ['1024', '1073741816', '1048576'],
    ['1024', 'unlimited', '1048576'],
    ['4096', '4096', ''],
    ['unlimited', 'unlimited', ''],
    ['2097152', '1073741816', ''],
  ])('of %s below %s becomes: %j', (soft, hard, expected) => {
    expect(raised(shell, soft, hard)).toBe(expected);
  });
});
