import type { TimeSource } from '../../base/clock.ts';
import type { SecretSink } from '../../base/log/redactor.ts';
import type { RecordSink } from '../../record/run-record.ts';
import { exchangeSchema, receivedIn, subjectTokenIn } from '../recorder/shapes.ts';
import type { Exchange } from './exchange.ts';

export interface SignInOptions {
  readonly record: RecordSink;
  readonly secrets: SecretSink;
  readonly clock: TimeSource;
}

/** Records how Pulumi's agent signed in, and hides the ID tokens that it exchanges. */
export class SignIn {
  readonly #options: SignInOptions;
  #hasSignedIn = false;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /**
   * Takes a call that exchanges an ID token. Returns false if Pulumi Cloud gave no token for it.
   */
  exchanged(exchange: Exchange): boolean {
    const { record, secrets, clock } = this.#options;
    secrets.add([subjectTokenIn(exchange.request)]);

    const answer = exchangeSchema.safeParse(receivedIn(exchange)).data;
    if (answer === undefined || (exchange.status ?? 0) >= 300) return false;

    this.#hasSignedIn = true;

    const { expires_in: seconds } = answer;
    const expiresAt =
      seconds === undefined ? {} : { expiresAt: new Date(clock.now() + seconds * 1000).toISOString() };

    record.event({ type: 'authenticated', method: 'oidc', ...expiresAt });

    return true;
  }

  /** Notes that a call for work was accepted: without an exchange before, by a static token. */
  polled(): void {
    if (!this.#hasSignedIn) this.#options.record.event({ type: 'authenticated', method: 'token' });
    this.#hasSignedIn = true;
  }
}
