import { type Identity, identityText, stackText } from '../base/stack.ts';
import type { DeploymentApi } from './deployment-api.ts';
import {
  identityOfToken,
  identityOfVariables,
  kindOfVariables,
  type NamedDeployment,
  provenBy,
} from './identity.ts';
import type { Claim } from './job-wire.ts';
import type { Service } from './organization-wire.ts';
import type { JobValue } from './secret-value.ts';

/** For the answer that proves a name: the job waits for it. */
const PROOF_MS = 5_000;
const DETECTION = 'detect-drift';

export interface IdentificationOptions {
  readonly claim: Omit<Claim, 'jobToken'>;
  readonly service: Service;
  /** The identity as known to the code that started the deployment. */
  readonly started?: NamedDeployment | undefined;
  /** Reads deployments; absent without an access token. */
  readonly read?: DeploymentApi['read'] | undefined;
  readonly redact: (text: string) => string;
  /** Called with a name that the claim did not bring. */
  readonly onNamed: (named: NamedDeployment) => void;
  /** Called with a warning for the user. */
  readonly notice: (message: string) => void;
}

/**
 * How a claimed deployment's name becomes known: from its token or from its start, else once its
 * variables are read.
 */
export class Identification {
  readonly #options: IdentificationOptions;
  #named: NamedDeployment | undefined;
  #isDetection = false;
  #kind: string | undefined;

  constructor(options: IdentificationOptions) {
    this.#options = options;

    const { claim, service, started } = options;
    const byToken = identityOfToken(claim.oidcToken, service);

    if (byToken === undefined) this.#named = started;
    else {
      // The code that started a drift detection knows more than its token, which calls it a refresh.
      const operation = started?.identity.operation ?? byToken.identity.operation;
      const url = byToken.deploymentUrl ?? started?.deploymentUrl;
      this.#named = { identity: { ...byToken.identity, operation }, deploymentUrl: url };
    }

    this.#kind = claim.kind;
  }

  /** The facts known so far; empty if there are none. */
  get named(): Partial<NamedDeployment> {
    return this.#named ?? {};
  }

  /**
   * The deployment looks for drift: by its operation or, as tokens call that a refresh or a
   * preview, by its variables.
   */
  get detectsDrift(): boolean {
    return this.#isDetection || this.named.identity?.operation === DETECTION;
  }

  /**
   * What the work says it is, where that isn't a deployment. Undefined once Pulumi Cloud has shown
   * that it is one.
   */
  get kind(): string | undefined {
    return this.named.identity?.proven === true ? undefined : this.#kind;
  }

  /** The deployment's IDs, and its name as far as known. */
  get ids() {
    const { deploymentId, runId, jobId } = this.#options.claim;
    const { identity } = this.named;

    const name = identity && {
      stack: stackText(identity),
      operation: identity.operation,
      version: identity.version,
    };

    return { deploymentId, runId, jobId, ...name };
  }

  /**
   * Settles the identity as the job's variables become known. They only inform: what is proven is
   * never replaced, and work of another kind isn't named by them.
   */
  async identify(
    variables: Readonly<Record<string, JobValue>>,
    signal: AbortSignal,
    kindOfDefinition?: string,
  ): Promise<Identity | undefined> {
    const { claim, service, redact, onNamed, notice } = this.#options;
    const other = identityOfVariables(variables, { service, ...claim });
    const text = other && identityText(other.identity);

    this.#isDetection = other?.identity.operation === DETECTION;
    this.#kind ??= kindOfDefinition ?? kindOfVariables(variables);

    // Names that quote a secret are no names.
    if (other === undefined || text === undefined || redact(text) !== text) return this.#named?.identity;

    if (this.#named === undefined) {
      const proven = await this.#proof(other, signal);
      this.#named = this.#kind === undefined ? (proven ?? other) : proven;
      if (this.#named !== undefined) onNamed(this.#named);
    } else if (differ(this.#named.identity, other.identity)) {
      const first = identityText(this.#named.identity);
      notice(
        `Pulumi Cloud calls this deployment ${first}, but its own variables call it ${text}: the first name counts.`,
      );
    }

    return this.#named?.identity;
  }

  /**
   * Asks whether the claimed deployment is that stack's. Undefined if no answer says so. Never
   * rejects.
   */
  async #proof(named: NamedDeployment, signal: AbortSignal): Promise<NamedDeployment | undefined> {
    const { read, claim, service } = this.#options;
    const name = { stack: named.identity, deploymentId: claim.deploymentId };

    try {
      const view = await read?.(name, AbortSignal.any([signal, AbortSignal.timeout(PROOF_MS)]));
      return view?.id === claim.deploymentId && view.kind === undefined
        ? provenBy(named, view, service)
        : undefined;
    } catch {
      return undefined;
    }
  }
}

/**
 * True if both can't be names of the same deployment. Tokens call a drift's operations by what
 * those run.
 */
function differ(one: Identity, other: Identity): boolean {
  const fields = ['organization', 'project', 'stack', 'version'] as const;
  const isDrift = [one, other].some(({ operation }) => operation?.endsWith('-drift'));
  return [...fields, ...(isDrift ? [] : (['operation'] as const))].some(
    (field) => one[field] !== undefined && other[field] !== undefined && one[field] !== other[field],
  );
}
