import { getOctokit } from '@actions/github';
import { z } from 'zod';
import { within } from '../../../base/deadline.ts';
import type { Environment } from '../../../base/environment.ts';
import { withEntry } from '../../../base/error-codes.ts';
import { fieldsOf } from '../../../base/json.ts';
import { plainText } from '../../../base/log/plain-text.ts';
import { clause, messageOf } from '../../../base/outcome.ts';
import { digestOf } from '../../../record/digests.ts';
import { type ChangeComment, COMMENT_MS, type Host } from '../../host.ts';
import { attemptPage, type Context } from './context.ts';
import { inputText } from './inputs.ts';

/** Digits of the digest that identifies a comment of this job. */
const MARKER_DIGITS = 32;

/** The most pages of comments to read, of 100 each; GitHub allows 2,500 comments. */
const MAX_PAGES = 30;

const FIND = `query ($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      id
      comments(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id viewerDidAuthor body }
      }
    }
  }
}`;

const CREATE = `mutation ($subject: ID!, $body: String!) {
  addComment(input: { subjectId: $subject, body: $body }) { clientMutationId }
}`;

const UPDATE = `mutation ($comment: ID!, $body: String!) {
  updateIssueComment(input: { id: $comment, body: $body }) { clientMutationId }
}`;

const pageSchema = z.object({
  repository: z.object({
    pullRequest: z.object({
      id: z.string(),
      comments: z.object({
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
        nodes: z.array(z.object({ id: z.string(), viewerDidAuthor: z.boolean(), body: z.string() })),
      }),
    }),
  }),
});

type Graphql = ReturnType<typeof getOctokit>['graphql'];

/**
 * Comments on the pull request of the CI job, or edits the comment that the same job of the same
 * workflow made about the same subject. Takes at most `COMMENT_MS`. Never throws: a failure is a
 * warning, and a pull request whose token can't comment a notice.
 */
export async function commentOnPullRequest(
  comment: ChangeComment,
  {
    environment,
    context,
    info,
    notice,
    warning,
  }: {
    readonly environment: Environment;
    readonly context: Context;
    readonly info: Host['info'];
    readonly notice: Host['notice'];
    readonly warning: Host['warning'];
  },
): Promise<void> {
  const number = pullRequestOf(environment, context);
  const token = inputText(environment, 'github-token');

  if (number === undefined) {
    info(
      "No comment was made: this CI run doesn't belong to a pull request, and comment-on-pr-number is empty.",
    );
    return;
  }

  if (token === '') {
    notice(`${noComment(number)}: github-token is empty, as it is for pull requests from forks.`);
    return;
  }

  try {
    const { graphql } = getOctokit(token, baseUrlOf(environment));
    await within(COMMENT_MS, comment.signal, (signal) =>
      putComment(graphql, number, { ...comment, signal }, context),
    );
  } catch (error) {
    // The next phase comments; after the last one, the CI job is being ended.
    if (comment.signal.aborted) return;
    const isForbidden = mayNotComment(error);

    if (isForbidden && isFromFork(context)) {
      notice(`${noComment(number)}: GitHub gives pull requests from forks no token that can comment.`);
      return;
    }

    const cause = isForbidden
      ? "the token isn't allowed to. Add `permissions: pull-requests: write` to the job"
      : clause(plainText(messageOf(error)));

    const sentence = `Failed to comment on pull request #${number} for this run: ${cause}. The job's summary has the same facts.`;
    warning(withEntry(sentence, 'PRA-RECORD-15'));
  }
}

/** Edits this job's comment on a pull request, or makes one. Throws what @octokit/graphql throws. */
async function putComment(
  graphql: Graphql,
  number: number,
  { subject, markdown, signal }: ChangeComment,
  context: Context,
): Promise<void> {
  const marker = markerOf(subject, context);
  const body = `${marker}\n${markdown}\n\n<p><a href="${attemptPage(context)}">The CI run</a></p>\n`;
  const request = { signal };
  let after: string | null = null;

  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer: unknown = await graphql(FIND, { ...context.repo, number, after, request });
    const { id, comments } = pageSchema.parse(answer).repository.pullRequest;

    // Others can copy the marker into a comment of theirs.
    const own = comments.nodes.find((each) => each.viewerDidAuthor && each.body.startsWith(marker));

    if (own !== undefined) {
      await graphql(UPDATE, { comment: own.id, body, request });
      return;
    }

    after = comments.pageInfo.endCursor;

    if (!comments.pageInfo.hasNextPage || after === null) {
      await graphql(CREATE, { subject: id, body, request });
      return;
    }
  }

  throw new Error(`it has more than ${MAX_PAGES * 100} comments`);
}

/** The first line of a comment, which Markdown doesn't show. */
function markerOf(subject: string, { workflow, job }: Context): string {
  const digest = digestOf(JSON.stringify([workflow, job, subject]));
  return `<!-- pulumi-runner-action ${digest.slice(0, MARKER_DIGITS)} -->`;
}

/** The pull request of the input, else of the event: one itself, or a comment on one. */
function pullRequestOf(environment: Environment, { payload }: Context): number | undefined {
  const input = inputText(environment, 'comment-on-pr-number');
  if (input !== '') return /^[1-9]\d{0,8}$/.test(input) ? Number(input) : undefined;
  if (payload.pull_request !== undefined) return payload.pull_request.number;
  return payload.issue?.['pull_request'] === undefined ? undefined : payload.issue.number;
}

function isFromFork({ payload, repo }: Context): boolean {
  const { full_name: name } = fieldsOf(fieldsOf(payload.pull_request?.['head'])['repo']);
  if (payload.pull_request === undefined) return false;
  return typeof name !== 'string' || name.toLowerCase() !== `${repo.owner}/${repo.repo}`.toLowerCase();
}

/** GitHub's words for a token without the permission, in each form of refusal. */
function mayNotComment(error: unknown): boolean {
  return /not accessible by|INSUFFICIENT_SCOPES|required scopes/i.test(messageOf(error));
}

function noComment(number: number): string {
  return `No comment was made on pull request #${number}`;
}

/** @actions/github reads it too, but only once, from the process's own environment. */
function baseUrlOf({ GITHUB_API_URL: baseUrl }: Environment) {
  return baseUrl ? { baseUrl } : {};
}
