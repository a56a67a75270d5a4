import type { Duplex } from 'node:stream';
import { MEMORY_FUNCTION, readMemory } from '../../container/memory.ts';
import { SIGNAL_FUNCTION } from '../../container/signal-function.ts';
import { type ContainerState, readState, STATE_FUNCTION } from '../../container/step-report.ts';
import { NEVER, within } from '../../deadline.ts';
import type { StopSignal } from '../../executor.ts';
import { demux, STDOUT } from '../engine/beyond-dockerode.ts';
import type { FileOwner } from './files.ts';

/** Seconds that a step gets after an interrupt when the agent is gone, before the container ends under it. */
export const ORPHAN_GRACE_SECONDS = 10;

/** SIGPWR (signal(7)), which the engine sends the main process when it has to stop: SIGTERM would be what a step's own `pkill` sends. */
export const STOP_SIGNAL = 30;

/**
 * The container's main process: a POSIX shell that obeys lines on its stdin and answers on its stdout, `<id> <answer>` each.
 * Run as `sh -c SCRIPT <environment file> <grace>`; understood by dash, bash and busybox ash, with builtins alone but for sleep.
 *
 *   <id> signal <name> <leader>  signals the step whose first process is <leader> → yes, no
 *   <id> state                   → what STATE_FUNCTION says of the environment file
 *   <id> memory                  → what MEMORY_FUNCTION says, no
 *
 * It says `0 ready <uid> <gid>` first. The agent holds the stdin. When the agent dies the stdin ends: whatever runs is interrupted
 * and, a little later, the container is over. The same where the engine has to stop it; `0 ending` tells the agent.
 */
export const MAIN_PROCESS_SCRIPT = `
trap '' HUP INT PIPE TERM
trap 'echo 0 ending; ending' ${STOP_SIGNAL}
grace=$1 interrupted=' '

${SIGNAL_FUNCTION}

${STATE_FUNCTION}

${MEMORY_FUNCTION}

# Every exec leads a session; 1 is the init's, which this shell is in. Nothing is interrupted twice: Pulumi would take that for
# the wish to end without its state.
ending() {
  trap '' ${STOP_SIGNAL}
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    case $interrupted in *" $pid "*) continue ;; esac
    [ "$4" = "$pid" ] && [ "$pid" != 1 ] && [ "$pid" != "$$" ] && signal INT "$pid"
  done 2>/dev/null
  n=0
  while [ "$n" -lt "$grace" ] && kill -0 -1 2>/dev/null && sleep 1; do n=$((n + 1)); done
  exit
}

ids=
while read -r key value rest; do
  case $key in Uid: | Gid:) ids="$ids $value" ;; esac
done </proc/self/status
echo "0 ready$ids"
while read -r id verb a b; do
  answer=no
  case $verb in
    signal)
      [ "$a" != INT ] || interrupted="$interrupted$b "
      signal "$a" "$b"
      ;;
    state) state "$0"; answer=$state ;;
    memory) memory ;;
    *) continue ;;
  esac
  echo "$id $answer"
done

# The agent is gone.
ending
`;

/** Milliseconds for an answer; a healthy main process takes one. */
const ANSWER_MS = 5_000;
/** What is kept of the output of a main process that could not even begin. */
const OUTPUT_CHARACTERS = 2_000;
/** Answers are tens of characters long. A step may write into the stream too; what it writes is dropped. */
const LINE_CHARACTERS = 200;

/** The main process takes no more orders: the container has ended or is ending. */
export class ContainerEndedError extends Error {
  override readonly name = 'ContainerEndedError';
}

/** The agent's end of the container's main process (see MAIN_PROCESS_SCRIPT). Owns the attached stream. */
export class MainProcess {
  readonly #stream: Duplex;
  readonly #ready = Promise.withResolvers<string>();
  readonly #waiting = new Map<number, (answer: string) => void>();
  readonly #ended = Promise.withResolvers<void>();
  #hasEnded = false;
  #isStopping = false;
  #id = 0;
  #line = '';
  #output = '';

  /** @param stream the container's attached stdin and output; attached before the container starts */
  constructor(stream: Duplex) {
    this.#stream = stream;
    this.#waiting.set(0, this.#ready.resolve);
    void this.#listen();
    // docker-modem sends the call's options as a body that an engine might take for input: this ends such a line.
    this.#write('\n');
  }

  /** It takes no more orders, and whatever runs has been interrupted. */
  get hasEnded(): boolean {
    return this.#hasEnded || this.#isStopping;
  }

  /** The container is being stopped, or the engine itself. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** What it printed besides answers. */
  get output(): string {
    return this.#output.trim();
  }

  /** Resolves with the user when the main process takes orders. Throws ContainerEndedError when it ended instead, DeadlineError after `ms` milliseconds. */
  async ready(ms: number, signal: AbortSignal): Promise<FileOwner> {
    const answer = await this.#unlessEnded(this.#ready.promise, ms, signal);
    const [, uid = 0, gid = 0] = answer.split(' ').map(Number);
    return { uid, gid };
  }

  /** Signals the step that `leader` leads. Throws as `ready` does. */
  async signal(name: StopSignal, leader: number): Promise<void> {
    await this.#ask(`signal ${name.slice('SIG'.length)} ${leader}`, NEVER);
  }

  /** Throws as `ready` does. */
  async state(signal: AbortSignal): Promise<ContainerState> {
    // An answer that makes no sense comes from a step that found the stream: then the file is read.
    return readState(await this.#ask('state', signal)) ?? { oomKills: 0, environmentChanged: true };
  }

  /** Bytes of the container's working set; undefined where its cgroup can't be read. Throws as `ready` does. */
  async memory(signal: AbortSignal): Promise<number | undefined> {
    return readMemory(await this.#ask('memory', signal));
  }

  /** Lets go of the stream; the engine then ends the container. */
  close(): void {
    this.#stream.destroy();
  }

  async #ask(question: string, signal: AbortSignal): Promise<string> {
    this.#id += 1;
    const id = this.#id;
    const answer = Promise.withResolvers<string>();
    this.#waiting.set(id, answer.resolve);
    try {
      this.#write(`${id} ${question}\n`);
      return await this.#unlessEnded(answer.promise, ANSWER_MS, signal);
    } finally {
      this.#waiting.delete(id);
    }
  }

  #unlessEnded<T>(answer: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
    const ended = () =>
      this.#ended.promise.then(() => Promise.reject(new ContainerEndedError('the container has ended')));
    return within(ms, signal, () => Promise.race([ended(), answer]));
  }

  #write(text: string): void {
    if (!this.#stream.destroyed && this.#stream.writable) this.#stream.write(text);
  }

  async #listen(): Promise<void> {
    this.#stream.on('error', () => undefined);
    try {
      await demux(this.#stream, (channel, piece) => {
        if (channel === STDOUT) this.#read(piece.toString('latin1'));
        else this.#keep(piece.toString('utf8'));
      });
    } catch {
      // Cut or ended: the container can't be reached through this stream any more, which is all that counts.
    } finally {
      this.#hasEnded = true;
      this.#ended.resolve();
      this.#stream.destroy();
    }
  }

  #read(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
    for (const line of lines) {
      const [, id, answer] = /^(\d{1,9}) ([\w ]{1,100})$/.exec(line) ?? [];
      if (id === undefined || answer === undefined) this.#keep(`${line}\n`);
      else if (answer === 'ending') {
        this.#isStopping = true;
        this.#ended.resolve();
      } else this.#waiting.get(Number(id))?.(answer);
    }
  }

  #keep(text: string): void {
    this.#output = (this.#output + text).slice(0, OUTPUT_CHARACTERS);
  }
}
