import { shellText } from '../../base/shell-text.ts';

/** The functions of library.sh, which explains them. */
export const LIBRARY = withoutComments(shellText('./library.sh', import.meta.url));

/** `program` after the functions that it can call, as the text that a container's shell runs. */
export function withLibrary(program: string): string {
  return LIBRARY + withoutComments(program);
}

/** A program's command line shows its text, and some shells read it byte by byte. */
function withoutComments(program: string): string {
  return program.replace(/^ *#.*\n/gm, '');
}

/** A container's state, as its shell reports it. */
export interface ContainerState {
  /** Processes that the kernel's out-of-memory killer has killed. */
  readonly oomKills: number;
  /** True if there is something to read at the environment file's path. */
  readonly environmentChanged: boolean;
}

/** Parses the result of the shell function `state`; undefined for anything else. */
export function readState(text: string): ContainerState | undefined {
  const [, kills, changed] = /^(\d{1,9}) ([01])$/.exec(text) ?? [];
  return kills === undefined ? undefined : { oomKills: Number(kills), environmentChanged: changed === '1' };
}

/**
 * Parses the answer of the shell function `memory`: bytes of memory without the file pages that the
 * kernel drops first; undefined for anything else.
 */
export function readMemory(text: string): number | undefined {
  const [, usage, inactiveFile] = /^(\d{1,18}) (\d{1,18})$/.exec(text) ?? [];
  return usage === undefined ? undefined : Math.max(0, Number(usage) - Number(inactiveFile));
}
