import type { Host } from './host.ts';

/** The group of everything before the wait for a deployment. */
export const SET_UP = 'Set up';

const CONTINUED = ' (continued)';

/** The title of a group that goes on after something else. */
export function continued(title: string): string {
  return title.endsWith(CONTINUED) ? title : `${title}${CONTINUED}`;
}

/**
 * A host that shows its annotations outside of groups, where none is folded away: one ends the open
 * group, which continues with the next line of it.
 */
export function withGroups(host: Host): Host {
  let title: string | undefined;
  let isOpen = false;

  const pause = (): void => {
    if (isOpen) host.endGroup();
    isOpen = false;
  };

  const end = (): void => {
    pause();
    title = undefined;
  };

  const resume = (): void => {
    if (title === undefined || isOpen) return;
    host.group(continued(title));
    isOpen = true;
  };

  const begin = (next: string): void => {
    if (next === title) return;
    end();
    host.group(next);
    [title, isOpen] = [next, true];
  };

  const outside =
    (show: Host['notice']): Host['notice'] =>
    (text, heading) => {
      pause();
      show(text, heading);
    };

  return {
    ...host,
    group: begin,
    endGroup: end,
    info: (text) => {
      resume();
      host.info(text);
    },
    print: async (lines, signal) => {
      if (lines.length > 0) resume();
      await host.print(lines, signal);
    },
    notice: outside(host.notice),
    warning: outside(host.warning),
    error: outside(host.error),
    fail: outside(host.fail),
  };
}
