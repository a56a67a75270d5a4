import { INVISIBLE } from '../../../base/log/invisible-text.ts';
import { consoleTexts } from '../console-text.ts';

/*
 * Makes untrusted text safe for Azure Pipelines' console. The agent takes `##vso[area.action …]` anywhere in a line for a
 * command, warns of any other `##vso` (azure-pipelines-agent, Command.cs, WorkerCommandManager.cs), and its log and the page
 * take `##[section]` for a format. The comparison is culture-sensitive: characters that ICU ignores can come in between.
 */

const COMMAND = new RegExp(
  `#${INVISIBLE}(?=#${INVISIBLE}(?:v${INVISIBLE}s${INVISIBLE}o|\\u001b?\\[))`,
  'giu',
);

export const { consoleLine, consoleText } = consoleTexts((line) => line.replace(COMMAND, '$& '));

/** A command to the agent. Values and text can be untrusted. */
export function command(name: string, properties: Readonly<Record<string, string>>, text = ''): string {
  const pairs = Object.entries(properties).map(([key, value]) => `${key}=${escaped(value)};`);
  return `##vso[${name}${pairs.length === 0 ? '' : ` ${pairs.join('')}`}]${escaped(text)}\n`;
}

/** The escapes that the agent reverses (CommandStringConvertor.cs), the percent sign first. */
const ESCAPES = { '%': '%AZP25', ';': '%3B', '\r': '%0D', '\n': '%0A', ']': '%5D' } as const;

function escaped(text: string): string {
  return Object.entries(ESCAPES).reduce((done, [from, to]) => done.replaceAll(from, to), text);
}
