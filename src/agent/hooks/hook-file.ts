import { isPlainVariable, secretValues } from '../../base/log/plain-names.ts';
import { OutcomeError } from '../../base/outcome.ts';
import { variableOf } from '../job/environment.ts';

/** What a hook before a job wrote to its file. */
export interface HookFile {
  readonly variables: Readonly<Record<string, string>>;
  /** What the hook's output could quote of the file, besides the variables' values. */
  readonly quotable: readonly string[];
  /** Says why the job must not run with the file; undefined if it can. */
  readonly broken: OutcomeError | undefined;
}

/**
 * Parses the file `$PULUMI_RUNNER_ENV`. Lines that are blank or begin with `#` are skipped. Any
 * other that isn't `NAME=VALUE` breaks the file: it is a mistake such as `export NAME=VALUE`, or the
 * rest of a value of which the job would get the first line alone.
 */
export function parseHookFile(text: string): HookFile {
  const lines = text.split('\n').map((line) => line.replaceAll('\r', '').trimStart());
  const assignments = lines.map(variableOf);
  const wrong = lines.findIndex(
    (line, index) => assignments[index] === undefined && line !== '' && !line.startsWith('#'),
  );

  if (wrong < 0) {
    const variables = assignments.filter((variable) => variable !== undefined);
    // Plain ones, such as AWS_REGION, can be read.
    const hidden = lines.filter((_, index) => {
      const variable = assignments[index];
      return variable === undefined || !isPlainVariable(...variable);
    });
    // Also values that a later line replaces.
    const values = variables.flatMap(([name, value]) => secretValues({ [name]: value }));
    const quotable = [...hidden, ...values];
    return { variables: Object.fromEntries(variables), quotable, broken: undefined };
  }

  // Any part of a line can be the value.
  const values = lines.map((line) => line.slice(line.indexOf('=') + 1).trim());
  const bare = values.map((value) => value.replace(/^(["'])(.*)\1$/, '$2'));
  const why = `line ${wrong + 1} of the file $PULUMI_RUNNER_ENV is not NAME=VALUE`;
  const advice =
    'Let hook_before_job write one variable on each line, without export, and encode a value of several lines in base64.';
  const message = `Failed to read the variables of hook_before_job for the job: ${why}. ${advice}`;
  return {
    variables: {},
    quotable: [...lines, ...values, ...bare],
    broken: new OutcomeError('refused', message, { code: 'PRA-JOB-13', fault: 'elsewhere' }),
  };
}
