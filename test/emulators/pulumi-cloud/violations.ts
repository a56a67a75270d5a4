/** An answer other than success that a well-behaved client may provoke, such as an expired token or an unknown stack. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: unknown;

  /**
   * @param status HTTP status of the answer.
   * @param message the sentence shown to the client; must not hold a token.
   * @param body the answer's JSON; by default Pulumi Cloud's `{code, message}`.
   */
  constructor(status: number, message: string, body: unknown = { code: status, message }) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.body = body;
  }
}

/** A refusal of something no well-behaved client would send: it is recorded, so that a test can assert that none was. */
export class ProtocolViolation extends Refusal {
  constructor(status: number, message: string, body?: unknown) {
    super(status, message, body);
    this.name = 'ProtocolViolation';
  }
}
