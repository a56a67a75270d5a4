import type { StepSpec } from '../../executor.ts';
import { quoted } from '../exec/exec-stream.ts';

/** Names that a shell can export. */
const NAME = /^[A-Za-z_]\w*$/;
/** Names that bash keeps to itself: exporting one would end a shell that calls itself sh. */
const READ_ONLY = new Set(['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID']);

/** The warning of variables whose names no shell can export: env(1) takes them from its command line, which the node's processes show. */
export function exposureWarning({ environment }: Pick<StepSpec, 'environment'>): string | undefined {
  const names = Object.keys(environment).filter((name) => !NAME.test(name));
  if (names.length === 0) return undefined;
  const [subject, object] = names.length === 1 ? ['its value stands', 'it'] : ['their values stand', 'them'];
  return `No shell can export ${names.map((name) => JSON.stringify(name)).join(', ')}: ${subject} on a command line inside the pod for a moment whenever a step begins. Give ${object} a name of letters, digits and underscores.`;
}

/** A step as POSIX shell code: sets its environment, goes to its folder and becomes its shell. The last line proves that it arrived whole. */
export function stepSettings({ shell, script, workingDirectory, environment }: StepSpec): string {
  const lines: string[] = [];
  const foreign: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (NAME.test(name) && !READ_ONLY.has(name)) lines.push(`export ${name}=${quoted(value)}`);
    else foreign.push(quoted(`${name}=${value}`));
  }
  const folder = workingDirectory === undefined || workingDirectory === '' ? '/' : workingDirectory;
  const command = [...(foreign.length === 0 ? [] : ['env', ...foreign]), quoted(shell), '-c', quoted(script)].join(' ');
  const place = folder.startsWith('/') ? folder : `/${folder}`;
  return `${lines.join('\n')}\ncd -- ${quoted(place)} && exec ${command}\n# complete`;
}
