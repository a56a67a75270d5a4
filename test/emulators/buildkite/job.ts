import { createHash, randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { Annotation, ArtifactRequest, Chunk, Finish } from './wire.ts';

export interface JobOptions {
  readonly command: string;
  /** A repository that git can clone. */
  readonly repository: string;
  /** More variables of the step. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A file of a job. */
export class Artifact {
  readonly id = randomUUID();
  readonly path: string;
  state: 'new' | 'finished' | 'error' = 'new';
  content: Buffer | undefined;
  readonly #sha256: string;

  constructor({ path, sha256sum }: ArtifactRequest) {
    this.path = path;
    this.#sha256 = sha256sum;
  }

  /** Stores the content. Returns false if it is not the announced one. */
  take(content: Buffer): boolean {
    this.content = content;
    return createHash('sha256').update(content).digest('hex') === this.#sha256;
  }
}

/** A job as Buildkite keeps it. */
export class BuildkiteJob {
  readonly id = randomUUID();
  readonly token = `bkaj_${randomUUID()}`;
  state: 'scheduled' | 'assigned' | 'accepted' | 'running' | 'canceling' | 'finished' = 'scheduled';
  end: Finish | undefined;
  readonly metaData = new Map<string, string>();
  readonly artifacts: Artifact[] = [];
  readonly idTokens: string[] = [];
  readonly #options: JobOptions;
  readonly #annotations = new Map<string, Annotation>();
  /** By sequence number. The agent sends several at a time, so a later one can arrive first. */
  readonly #chunks = new Map<number, Chunk & { readonly bytes: Buffer }>();

  constructor(options: JobOptions) {
    this.#options = options;
  }

  /** The log so far, with the agent's time stamps and all that the terminal interprets. */
  get log(): string {
    return Buffer.concat(this.#ordered().map(({ bytes }) => bytes)).toString('utf8');
  }

  /** The annotations of the build, in the order of their contexts' first use. */
  get annotations(): readonly Annotation[] {
    return [...this.#annotations.values()];
  }

  /** The uploaded files by path. */
  get files(): ReadonlyMap<string, string> {
    const finished = this.artifacts.filter(({ state }) => state === 'finished');
    return new Map(finished.map(({ path, content }) => [path, String(content)]));
  }

  /** Cancels the job as the button on its page does. */
  cancel(): void {
    this.state = 'canceling';
  }

  finish(end: Finish): void {
    this.state = 'finished';
    this.end = end;
  }

  /** Adds a part of the log. Returns false if there is one with its number. */
  addLog(bytes: Buffer, chunk: Chunk): boolean {
    if (this.#chunks.has(chunk.sequence)) return false;
    this.#chunks.set(chunk.sequence, { ...chunk, bytes });
    return true;
  }

  /** True if every part follows the one before it. */
  isLogWhole(): boolean {
    let end = 0;
    return this.#ordered().every(({ sequence, offset, size }, at) => {
      const follows = sequence === at + 1 && offset === end;
      end += size;
      return follows;
    });
  }

  #ordered() {
    return [...this.#chunks.values()].sort((one, other) => one.sequence - other.sequence);
  }

  annotate(annotation: Annotation): void {
    const before = annotation.append ? (this.#annotations.get(annotation.context)?.body ?? '') : '';
    this.#annotations.set(annotation.context, { ...annotation, body: before + annotation.body });
  }

  addArtifact(request: ArtifactRequest): string {
    const artifact = new Artifact(request);
    this.artifacts.push(artifact);
    return artifact.id;
  }

  /** What the agent gets when it accepts the job. */
  accepted(): object {
    return {
      id: this.id,
      state: this.state,
      env: this.environment(),
      token: this.token,
      step: { command: this.#options.command },
      chunks_max_size_bytes: 102_400,
      chunks_interval_seconds: 1,
      log_max_size_bytes: 1024 ** 3,
    };
  }

  /** The variables that Buildkite gives a job. */
  environment(): Record<string, string> {
    const { command, repository, env } = this.#options;
    const build = 'https://buildkite.com/acme/network/builds/7';
    return {
      BUILDKITE: 'true',
      CI: 'true',
      BUILDKITE_AGENT_NAME: 'test',
      BUILDKITE_JOB_ID: this.id,
      BUILDKITE_BUILD_NUMBER: '7',
      BUILDKITE_BUILD_URL: build,
      BUILDKITE_ORGANIZATION_SLUG: 'acme',
      BUILDKITE_PIPELINE_SLUG: 'network',
      BUILDKITE_PIPELINE_PROVIDER: 'git',
      BUILDKITE_STEP_KEY: 'pulumi',
      BUILDKITE_LABEL: 'Pulumi',
      BUILDKITE_REPO: repository,
      BUILDKITE_BRANCH: 'main',
      BUILDKITE_COMMIT: 'HEAD',
      BUILDKITE_COMMAND: command,
      BUILDKITE_PLUGINS: '[]',
      BUILDKITE_TIMEOUT: 'false',
      BUILDKITE_SOURCE: 'webhook',
      ...env,
    };
  }

  /** The claims of an ID token of this job, as Buildkite's documentation lists them. */
  claims(audience: string, lifetimeSeconds: number): JWTPayload {
    const iat = Math.floor(Date.now() / 1000);
    const commit = '9f3182061f1e2cca4702c368cbc039b7dc9d4485';
    return {
      sub: `organization:acme:pipeline:network:ref:refs/heads/main:commit:${commit}:step:pulumi`,
      aud: audience,
      iat,
      nbf: iat,
      exp: iat + lifetimeSeconds,
      organization_slug: 'acme',
      pipeline_slug: 'network',
      build_number: 7,
      build_branch: 'main',
      build_commit: commit,
      step_key: 'pulumi',
      job_id: this.id,
      runner_environment: 'self-hosted',
    };
  }
}
