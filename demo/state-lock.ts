import type { ProgramHost } from './program-host.ts';

/** Who holds a lock that {@link holdLock} took. */
export const HOLDER = 'another user';
const DEADLINE_MS = 10_000;

/** Takes the lock of a state, as a colleague's update at the same time would: a deployment then has to fail. */
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
  if (!answer.ok) throw new Error(`Failed to lock the state of ${stack}: ${answer.status} ${await answer.text()}`);
}
