/** An error answer that a well-behaved client may provoke, as with an expired token or an unknown stack. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: unknown;

  /** `message` goes to the client and must hold no token; `body` is the answer's JSON. */
  constructor(status: number, message: string, body: unknown = { code: status, message }) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.body = body;
  }
}

/** A refusal of something no well-behaved client would send, recorded so that tests can assert there was none. */
export class ProtocolViolation extends Refusal {
  constructor(status: number, message: string, body?: unknown) {
    super(status, message, body);
    this.name = 'ProtocolViolation';
  }
}
