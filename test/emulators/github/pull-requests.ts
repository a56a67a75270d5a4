import Fastify from 'fastify';
import { z } from 'zod';
import { applyFault, FaultScript } from './faults.ts';
import type { Violation } from './violations.ts';

/** GitHub's limits: comments on a page, characters of a body. */
const MAX_PAGE = 100;
const MAX_BODY = 65_536;

const REFUSED = 'Resource not accessible by integration';

interface Comment {
  readonly id: string;
  readonly author: string;
  body: string;
}

/** A token's user, and whether it can comment. */
interface Bearer {
  readonly login: string;
  readonly canComment: boolean;
}

/** The exact variables and the words of each operation: a query with another word is refused. */
const OPERATIONS = {
  find: {
    variables: z.strictObject({
      owner: z.string(),
      repo: z.string(),
      number: z.int().positive(),
      after: z.string().nullable(),
    }),
    words:
      'query owner String repo String number Int after String repository owner owner name repo pullRequest number number id comments first 100 after after pageInfo hasNextPage endCursor nodes id viewerDidAuthor body',
  },
  create: {
    variables: z.strictObject({ subject: z.string(), body: z.string().min(1).max(MAX_BODY) }),
    words: 'mutation subject ID body String addComment input subjectId subject body body clientMutationId',
  },
  update: {
    variables: z.strictObject({ comment: z.string(), body: z.string().min(1).max(MAX_BODY) }),
    words: 'mutation comment ID body String updateIssueComment input id comment body body clientMutationId',
  },
} as const;

type Operation = keyof typeof OPERATIONS;

const requestSchema = z.strictObject({ query: z.string(), variables: z.record(z.string(), z.unknown()) });

/** An error as GitHub's GraphQL reports one, with status 200. */
class GraphqlError extends Error {
  override readonly name = 'GraphqlError';
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** The part of GitHub's GraphQL API that comments need, for the pull requests of one repository. Refusals are violations. */
export class PullRequests {
  /** By operation: `find`, `create`, `update`. */
  readonly faults = new FaultScript();
  /** The operations that were asked for, in order. */
  readonly calls: Operation[] = [];
  readonly violations: Violation[] = [];
  readonly #bearers = new Map<string, Bearer>();
  readonly #comments = new Map<number, Comment[]>();
  readonly #server = Fastify({ forceCloseConnections: true });
  #url = '';
  #ids = 0;

  private constructor(repository: string) {
    this.#server.post('/graphql', async (request, reply) => {
      const bearer = this.#bearers.get(/^token (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
      if (bearer === undefined) return reply.code(401).send({ message: 'Bad credentials' });

      try {
        const { query, variables } = requestSchema.parse(request.body);
        const operation = operationOf(query);
        this.calls.push(operation);
        if (await applyFault(this.faults.take(operation), reply)) return reply;
        return { data: this.#answer(operation, variables, bearer, repository) };
      } catch (error) {
        const { type, message } =
          error instanceof GraphqlError ? error : { type: 'BAD_REQUEST', message: String(error) };
        if (type !== 'FORBIDDEN') this.violations.push({ rule: `graphql-${type}`, detail: message });
        return { data: null, errors: [{ type, path: [], message }] };
      }
    });
  }

  /** Starts the service on loopback for a repository, `OWNER/REPO`. */
  static async start(repository: string): Promise<PullRequests> {
    const service = new PullRequests(repository);
    service.#url = await service.#server.listen({ host: '127.0.0.1', port: 0 });
    return service;
  }

  /** The value of `GITHUB_API_URL`. */
  get url(): string {
    return this.#url;
  }

  /** A token of a user. */
  token(login: string, { canComment = true } = {}): string {
    const token = `ghs_${login.replace(/\W/g, '')}${this.#bearers.size}`;
    this.#bearers.set(token, { login, canComment });
    return token;
  }

  /** Adds a comment as another user does, on the page. */
  add(number: number, author: string, body: string): void {
    this.#ids += 1;
    const comments = this.#comments.get(number) ?? [];
    this.#comments.set(number, [...comments, { id: `IC_${this.#ids}`, author, body }]);
  }

  /** The bodies of a user's comments on a pull request, in order. */
  bodiesOf(number: number, author: string): string[] {
    return (this.#comments.get(number) ?? [])
      .filter((each) => each.author === author)
      .map(({ body }) => body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }

  #answer(operation: Operation, given: unknown, { login, canComment }: Bearer, repository: string): unknown {
    if (operation === 'find') {
      const { owner, repo, number, after } = OPERATIONS.find.variables.parse(given);
      const comments = this.#comments.get(number);
      if (`${owner}/${repo}` !== repository || comments === undefined)
        throw new GraphqlError('NOT_FOUND', 'Could not resolve to a PullRequest');

      const from = after === null ? 0 : Number(/^cursor:(\d+)$/.exec(after)?.[1]);
      const nodes = comments.slice(from, from + MAX_PAGE);
      const end = from + nodes.length;
      return {
        repository: {
          pullRequest: {
            id: `PR_${number}`,
            comments: {
              pageInfo: {
                hasNextPage: end < comments.length,
                endCursor: nodes.length === 0 ? null : `cursor:${end}`,
              },
              nodes: nodes.map(({ id, author, body }) => ({ id, viewerDidAuthor: author === login, body })),
            },
          },
        },
      };
    }

    if (!canComment) throw new GraphqlError('FORBIDDEN', REFUSED);

    if (operation === 'create') {
      const { subject, body } = OPERATIONS.create.variables.parse(given);
      this.add(Number(/^PR_(\d+)$/.exec(subject)?.[1]), login, body);
      return { addComment: { clientMutationId: null } };
    }

    const { comment: id, body } = OPERATIONS.update.variables.parse(given);
    const comment = [...this.#comments.values()].flat().find((each) => each.id === id);
    if (comment?.author !== login) throw new GraphqlError('FORBIDDEN', REFUSED);
    comment.body = body;
    return { updateIssueComment: { clientMutationId: null } };
  }
}

function operationOf(query: string): Operation {
  const words = query.match(/\w+/g)?.join(' ');
  const found = Object.entries(OPERATIONS).find(([, operation]) => operation.words === words);
  if (found === undefined) throw new GraphqlError('BAD_REQUEST', `no such operation: ${query}`);
  return found[0] as Operation;
}
