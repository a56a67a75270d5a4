/*
 * GitLab's readers of reports, after gitlab-org/gitlab: app/services/ci/parse_dotenv_artifact_service.rb and
 * parse_annotations_artifact_service.rb, app/models/concerns/ci/has_variable.rb, lib/expand_variables.rb and
 * app/validators/json_schemas/ci_job_annotation_data.json, with the limits of a GitLab of one's own.
 */

import { z } from 'zod';

const VARIABLES = 20;
const DOTENV_BYTES = 5 * 1024;
const ANNOTATION_LISTS = 20;
const ANNOTATION_BYTES = 80 * 1024;

/** The variables of a report as a later job gets them. Throws where GitLab refuses the report. */
export function gitlabVariables(
  file: string,
  others: Readonly<Record<string, string>> = {},
): Record<string, string> {
  if (Buffer.byteLength(file) >= DOTENV_BYTES) throw new Error('Dotenv Artifact Too Big');

  const variables: Record<string, string> = {};
  for (const line of file.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const [, key = '', value = ''] = /^([^\n]*?)=([^\n]*)$/m.exec(line) ?? [];
    if (!line.includes('=')) throw new Error('Invalid Format');
    if (!/^[a-zA-Z0-9_]{1,255}$/.test(strip(key)))
      throw new Error(`Key ${key} can contain only letters, digits and '_'`);
    variables[strip(key)] = strip(value);
  }

  if (Object.keys(variables).length > VARIABLES) throw new Error('too many variables');

  const known = { ...others, ...variables };
  return Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, expanded(value, known)]));
}

/** Ruby's `strip`. */
function strip(text: string): string {
  return text.replace(/^[\0\t-\r ]+|[\0\t-\r ]+$/g, '');
}

/** The value with its references to variables, as such a report is not `raw`. */
function expanded(value: string, variables: Readonly<Record<string, string>>): string {
  const reference = /\$([a-zA-Z_]\w*)|\$\{([a-zA-Z_]\w*)\}|%([a-zA-Z_]\w*)%|\$\$|%%/g;
  return value.replace(reference, (_, ...[bare, braced, windows]: (string | undefined)[]) => {
    return variables[bare ?? braced ?? windows ?? ''] ?? '';
  });
}

const annotationSchema = z
  .array(
    z.strictObject({
      external_link: z.strictObject({ label: z.string().optional(), url: z.string().optional() }).optional(),
    }),
  )
  .max(1_000);

/** The links that GitLab shows on the job's page. Throws where GitLab refuses the report. */
export function gitlabLinks(file: string): { readonly label?: string; readonly url?: string }[] {
  if (Buffer.byteLength(file) > ANNOTATION_BYTES) throw new Error('Annotations Artifact Too Big');
  const lists = z.record(z.string().min(1).max(255), annotationSchema).parse(JSON.parse(file));
  if (Object.keys(lists).length > ANNOTATION_LISTS) throw new Error('too many annotation lists');
  return Object.values(lists)
    .flat()
    .flatMap(({ external_link: link }) =>
      link === undefined
        ? []
        : [{ ...(link.label && { label: link.label }), ...(link.url && { url: link.url }) }],
    );
}
