import type { StepSpec } from '../target.ts';

/** Names that a shell can export. */
const NAME = /^[A-Za-z_]\w*$/;
/** Names that bash keeps to itself: exporting one would end a shell that calls itself sh. */
const READ_ONLY = new Set(['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID']);

/**
 * A step as POSIX shell code: sets its environment, goes to its folder and becomes `<shell> -c <script>`. It ends with the words
 * by which a text that arrived whole is known. Names that a shell can't export go by env(1).
 */
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

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
