import { CONFIG_FILE_NAME } from '../base/config/config-file.ts';
import { nearest } from '../base/config/problem.ts';
import { defaultWords } from '../base/config/reference.ts';
import { definitionOf, isKey, KEY_NAMES, type KeyName } from '../base/config/schema.ts';
import { SUBJECTS, type Subject } from '../base/config/subjects.ts';
import { wrapped } from './line-wrap.ts';

/** The settings that everybody meets first. */
const BASICS: readonly KeyName[] = [
  'organization_name',
  'runner_pool_id',
  'token',
  'oidc_token_file',
  'single_run',
  'max_wait',
  'env_forward_allowlist',
  'soft_timeout',
];

const ALL = 'all';

/**
 * The text of `help settings`: those that everybody meets first and the list of subjects, or those
 * of one subject, or one setting by its key or flag. Throws Error for another topic, with the
 * nearest.
 */
export function settingsHelp(topic?: string): string {
  if (topic === undefined) return overview();

  const subject = SUBJECTS.find(({ name }) => name === topic);
  if (subject !== undefined) return listed([subject]);
  if (topic === ALL) return listed(SUBJECTS);

  const key = topic.replace(/^--(no-)?/, '').replaceAll('-', '_');
  if (isKey(key)) return `${entry(key).join('\n')}\n`;

  const near = nearest(topic, [...SUBJECTS.map(({ name }) => name), ...KEY_NAMES]);
  const suggestion = near === undefined ? '' : ` (did you mean ${near}?)`;
  throw new Error(
    `there is no subject or setting ${JSON.stringify(topic)}${suggestion}; the subjects are ${SUBJECTS.map(({ name }) => name).join(', ')}`,
  );
}

function overview(): string {
  const subjects = [...SUBJECTS, { name: ALL, title: 'every subject' }];
  const intro = `A setting is a flag (--max-wait 5m), a variable (PULUMI_AGENT_MAX_WAIT=5m) or a key of the file
    ${CONFIG_FILE_NAME} (max_wait: 5m). The first of these counts. The file is searched for in the current
    directory, the home directory, /etc and the agent's own directory. A duration is written as 300ms, 30s or 1h30m.`;

  return `${wrapped('', intro, '').join('\n')}

These are all that most runs need:
${BASICS.map((key) => entry(key).join('\n')).join('\n')}

Further settings: pulumi-runner-agent help settings SUBJECT
${subjects.map(({ name, title }) => `  ${name.padEnd(12)}${title}`).join('\n')}
`;
}

function listed(subjects: readonly Subject[]): string {
  const parts = subjects.map(({ name, title, keys }) =>
    [`Settings of ${name}: ${title}`, ...keys.flatMap(entry)].join('\n'),
  );
  return `${parts.join('\n\n')}\n`;
}

/** A setting's lines: its key, its values, its default and its variable if that is special; its help. */
function entry(key: KeyName): string[] {
  const { environment, help, kind, noFlag } = definitionOf(key);
  const preset = defaultWords(key);

  const facts = [
    kind.words,
    ...(preset === undefined ? [] : [`default: ${preset}`]),
    ...(environment === undefined ? [] : [`variable: ${environment.join(', ')}`]),
    ...(noFlag === true ? ['no flag'] : []),
  ];

  return [...wrapped(`  ${key}  `, facts.join('; '), '      '), ...wrapped('      ', help, '      ')];
}
