/** POSIX shell code, and the words that it finds as `$1`, `$2`, …. */
export interface PodScript {
  readonly code: string;
  readonly words: readonly string[];
}

/** The line behind a script: what comes after it is the script's own to read. */
const END = '# end of script';

/**
 * All that an exec request says: shell code that reads a script from its stdin, up to and with the line that ends it, and becomes that.
 * Exit code 125, with nothing done, where the stream ends before. Proxies refuse long request lines (nginx beyond 8 KiB), and a
 * command line is there for everybody to read. "read" takes not a byte too many of what follows.
 */
const BOOTSTRAP = `runner_script= runner_line=
while IFS= read -r runner_line && [ "$runner_line" != '${END}' ]; do
runner_script=$runner_script$runner_line'
'
done
[ "$runner_line" = '${END}' ] || exit 125
eval "$runner_script"`;

/** Path and query of the request that starts a shell in a container: under 2 KiB, whatever the shell is to do. */
export function execPath(namespace: string, pod: string, container: string): string {
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true', tty: 'false' });
  for (const word of ['sh', '-c', BOOTSTRAP]) query.append('command', word);
  return `/api/v1/namespaces/${namespace}/pods/${pod}/exec?${query}`;
}

/** What that shell is to have on its stdin first. */
export function scriptInput({ code, words }: PodScript): string {
  return `set -- ${words.map(quoted).join(' ')}\n${code}\n${END}\n`;
}

/** Text as one word of shell code. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
