import type { ProgramHost } from './program-host.ts';

/** The holder of a lock that {@link holdLock} took. */
export const HOLDER = 'another user';
const DEADLINE_MS = 10_000;

/** Takes a state's lock like a colleague's concurrent update: a deployment must then fail. */
export async function holdLock(
  { stateUrlOf, username, password }: Pick<ProgramHost, 'stateUrlOf' | 'username' | 'password'>,
  stack: string,
): Promise<void> {
  const answer = await fetch(stateUrlOf(stack), {
    method: 'LOCK',
    headers: { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
    body: JSON.stringify({ ID: '1', Operation: 'apply', Who: HOLDER, Created: '2026-01-01T00:00:00Z' }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  if (!answer.ok)
    throw new Error(`Failed to lock the state of ${stack}: ${answer.status} ${await answer.text()}`);
}
