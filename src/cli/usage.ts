import { VERSION } from '../base/version.ts';
import { COMMAND_NAMES, COMMON_FLAGS, type CommandName, helpOf } from './command-help.ts';
import { wrapped } from './line-wrap.ts';

/** The text of `help`, which fits a screen, and of `help <command>`. */
export function usage(of?: CommandName): string {
  return of === undefined ? overview() : commandHelp(of);
}

function overview(): string {
  const groups = [...Map.groupBy(COMMAND_NAMES, (name) => helpOf(name).group)].map(([title, names]) =>
    [`${title}:`, ...names.map((name) => `  ${name.padEnd(11)}${helpOf(name).line}`)].join('\n'),
  );

  return `pulumi-runner-agent ${VERSION}: runs Pulumi deployments inside your network

Usage: pulumi-runner-agent <command> [flags]

${groups.join('\n')}

Flags and examples of a command:  pulumi-runner-agent <command> --help
Settings, by subject:             pulumi-runner-agent help settings
`;
}

function commandHelp(name: CommandName): string {
  const { synopsis, text, flags = [], takesSettings = false, examples } = helpOf(name);
  const listed = [...flags, ...(takesSettings ? COMMON_FLAGS : [])];
  const width = Math.max(0, ...listed.map(([flag]) => flag.length)) + 2;

  const sections = [
    `Usage: pulumi-runner-agent ${[name, synopsis].filter(Boolean).join(' ')}`,
    text
      .split('\n\n')
      .flatMap((paragraph) => wrapped('', paragraph, ''))
      .join('\n'),
    listed.length > 0 &&
      `Flags:\n${listed.flatMap(([flag, does]) => flagLines(flag, does, width)).join('\n')}`,
    examples.length > 0 &&
      `Examples:\n${examples.map((example) => `  pulumi-runner-agent ${example}`).join('\n')}`,
  ];

  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

/** A flag with its explanation, whose further lines begin in the same column. */
function flagLines(flag: string, does: string, width: number): string[] {
  return wrapped(`  ${flag.padEnd(width)}`, does, ' '.repeat(width + 2));
}
