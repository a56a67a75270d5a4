import type { TokenKind } from './tokens.ts';

/** One request in the order of arrival; it never holds a token's value. */
export interface JournalEntry {
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** 0 as long as there is no answer, which is for ever when the connection was reset, left hanging or given up. */
  readonly status: number;
  /** What kind of token came along; an unknown one counts as none. */
  readonly tokenKind: TokenKind;
  /** The token's id, such as `pool-token-2`. */
  readonly tokenId: string | undefined;
  readonly userAgent: string | undefined;
  /** Bytes of the body; 0 until it has been read. */
  readonly bodyBytes: number;
  /** Whether a script changed the answer, and if the call was processed nevertheless. */
  readonly scripted: 'before' | 'after' | undefined;
  /** Whether the client closed the connection before there was an answer. */
  readonly abandoned: boolean;
  /** The violation that was recorded for it. */
  readonly violation: string | undefined;
}

/** An entry while its request is under way. */
export type OpenEntry = { -readonly [K in keyof JournalEntry]: JournalEntry[K] };
