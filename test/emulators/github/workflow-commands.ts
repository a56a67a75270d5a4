import { type ActionCommand, parseActionCommand, propertyOf } from './action-command.ts';
import { LineReader } from './line-reader.ts';
import { SecretMasker } from './secret-masker.ts';

type AnnotationLevel = 'error' | 'warning' | 'notice';

export interface Annotation {
  readonly level: AnnotationLevel;
  /** Masked, and cut at 4,096 characters. */
  readonly message: string;
  /** `title`, `file`, `line`, `col`, `endLine`, `endColumn`, as far as they were given. */
  readonly properties: Readonly<Record<string, string>>;
}

interface ConsoleGroup {
  readonly title: string;
  /** Indexes into the rendered lines: the `##[group]` line and the first line after the group. */
  readonly from: number;
  readonly to: number;
}

/** What GitHub makes of a step's console. */
export interface ConsoleReading {
  /** The rendered console's lines, masked. */
  readonly lines: readonly string[];
  readonly commands: readonly ActionCommand[];
  /** The first ten of each level: GitHub keeps no more per step. */
  readonly annotations: readonly Annotation[];
  /** Every value that was masked by the end of this console. */
  readonly masks: readonly string[];
  readonly groups: readonly ConsoleGroup[];
  /** Legacy commands, which no honest step prints: `set-output` and `save-state` still work, the others are refused. */
  readonly forged: readonly ActionCommand[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  /** Whether a command failed, which fails the step whatever its exit code. */
  readonly failed: boolean;
  /** Length of the longest raw line, in UTF-16 code units. */
  readonly longestLine: number;
}

export interface InterpreterOptions {
  /** Shared by the phases of a job; a fresh one when absent. */
  readonly masker?: SecretMasker;
  /** `ACTIONS_STEP_DEBUG`: shows `::debug::` lines and commands. */
  readonly debug?: boolean;
  /** Called for each rendered line. */
  readonly onLine?: () => void;
}

const COMMANDS =
  'add-mask add-matcher add-path debug echo endgroup error group notice remove-matcher save-state set-env set-output stop-commands warning';
const WITHOUT_ECHO: readonly string[] = ['add-mask', 'debug', 'error', 'notice', 'warning'];
const LEGACY: readonly string[] = ['add-path', 'save-state', 'set-env', 'set-output'];
const MAX_MESSAGE = 4096;
const MAX_PER_LEVEL = 10;

/** Interprets a phase's console as actions/runner does: stopping commands on stdout also stops them on stderr. */
export class WorkflowCommandInterpreter {
  readonly #masker: SecretMasker;
  readonly #debug: boolean;
  readonly #onLine: () => void;
  readonly #registered = new Set(COMMANDS.split(' '));
  /** The rendered lines so far. */
  readonly lines: string[] = [];
  readonly #commands: ActionCommand[] = [];
  readonly #annotations: Annotation[] = [];
  readonly #groups: ConsoleGroup[] = [];
  readonly #outputs = new Map<string, string>();
  readonly #state = new Map<string, string>();
  #openGroup: { title: string; from: number } | undefined;
  #stopToken: string | undefined;
  #failed = false;
  #longestLine = 0;

  constructor(options: InterpreterOptions = {}) {
    this.#masker = options.masker ?? new SecretMasker();
    this.#debug = options.debug ?? false;
    this.#onLine = options.onLine ?? (() => {});
  }

  /** Interprets one raw console line from either stream, without its line ending. */
  interpret(line: string): void {
    this.#longestLine = Math.max(this.#longestLine, line.length);
    const command = parseActionCommand(line, (name) => this.#registered.has(name.toLowerCase()));
    if (command !== undefined && this.#process(command, line)) return;
    // The runner's own markers must not work in a step's output.
    this.#write(
      line.replaceAll('##[start-action', '##[\\start-action').replaceAll('##[end-action', '##[\\end-action'),
    );
  }

  /** Adds one of the runner's own annotations, such as for a refused summary, and its console line. */
  annotate(level: AnnotationLevel, text: string, properties: Readonly<Record<string, string>> = {}): void {
    const message = this.#masker.mask(text).slice(0, MAX_MESSAGE);
    if (this.#annotations.filter((one) => one.level === level).length < MAX_PER_LEVEL)
      this.#annotations.push({ level, message, properties });
    if (message !== '') this.#write(`##[${level}]${message}`);
  }

  /** The result of all lines so far. */
  read(): ConsoleReading {
    const open = this.#openGroup;
    return {
      lines: [...this.lines],
      commands: [...this.#commands],
      annotations: [...this.#annotations],
      masks: this.#masker.values,
      groups: open === undefined ? [...this.#groups] : [...this.#groups, { ...open, to: this.lines.length }],
      forged: this.#commands.filter((one) => LEGACY.includes(one.command.toLowerCase())),
      outputs: Object.fromEntries(this.#outputs),
      state: Object.fromEntries(this.#state),
      failed: this.#failed,
      longestLine: this.#longestLine,
    };
  }

  #write(text: string): void {
    for (const line of this.#masker.mask(text).split('\n')) {
      this.lines.push(line);
      this.#onLine();
    }
  }

  /** Returns whether the line was a command; while commands are stopped, only the token that resumes them is one. */
  #process(command: ActionCommand, line: string): boolean {
    const name = command.command.toLowerCase();
    if (this.#stopToken !== undefined) {
      if (name !== this.#stopToken) return false;
      this.#registered.delete(name);
      this.#stopToken = undefined;
      this.#commands.push(command);
      this.#write(line);
      return true;
    }
    if (this.#debug && !WITHOUT_ECHO.includes(name) && name !== 'stop-commands') this.#write(line);
    const refusal = this.#execute(name, command, line);
    if (refusal !== undefined) {
      this.#failed = true;
      this.annotate(
        'error',
        `Unable to process command '${WITHOUT_ECHO.includes(name) ? name : line}' successfully.`,
      );
      this.annotate('error', refusal);
    }
    this.#commands.push(command);
    return true;
  }

  /** Executes a command; returns why it was refused, if it was. */
  #execute(name: string, command: ActionCommand, line: string): string | undefined {
    switch (name) {
      case 'error':
      case 'warning':
      case 'notice':
        this.annotate(name, command.message, command.properties);
        return undefined;
      case 'debug':
        if (this.#debug) for (const part of command.message.split(/\r?\n/u)) this.#write(`##[debug]${part}`);
        return undefined;
      case 'group':
        this.#closeGroup();
        this.#openGroup = { title: this.#masker.mask(command.message), from: this.lines.length };
        this.#write(`##[group]${command.message}`);
        return undefined;
      case 'endgroup':
        this.#write('##[endgroup]');
        this.#closeGroup();
        return undefined;
      case 'add-mask':
        return this.#addMask(command.message);
      case 'stop-commands':
        return this.#stop(command.message, line);
      case 'set-output':
        return this.#assign(this.#outputs, name, command);
      case 'save-state':
        return this.#assign(this.#state, name, command);
      case 'set-env':
      case 'add-path':
        return `The \`${name}\` command is disabled. Please upgrade to using Environment Files or opt into unsecure command execution by setting the \`ACTIONS_ALLOW_UNSECURE_COMMANDS\` environment variable to \`true\`.`;
      default:
        return undefined; // Problem matchers and `echo` are recorded but have no effect.
    }
  }

  #closeGroup(): void {
    if (this.#openGroup === undefined) return;
    this.#groups.push({ ...this.#openGroup, to: this.lines.length });
    this.#openGroup = undefined;
  }

  #addMask(value: string): undefined {
    if (value.trim() === '') {
      this.annotate('warning', "Can't add secret mask for empty string in ##[add-mask] command.");
      return;
    }
    this.#masker.addLines(value);
  }

  #stop(token: string, line: string): string | undefined {
    const name = token.toLowerCase();
    if (name === '' || name === 'pause-logging' || this.#registered.has(name)) {
      return "You cannot use a endToken that is an empty string, the string 'pause-logging', or another workflow command.";
    }
    this.#stopToken = name;
    this.#registered.add(name);
    if (token.length > 6) this.#masker.add(token);
    this.#write(line);
    return undefined;
  }

  #assign(target: Map<string, string>, name: string, command: ActionCommand): string | undefined {
    const key = propertyOf(command, 'name');
    if (key === undefined) return `Required field 'name' is missing in ##[${name}] command.`;
    target.set(key, command.message);
    return undefined;
  }
}

/** Interprets the whole text of one stream. */
export function interpretConsole(text: string): ConsoleReading {
  const interpreter = new WorkflowCommandInterpreter();
  const reader = new LineReader();
  for (const line of [...reader.push(Buffer.from(text)), ...reader.end()]) interpreter.interpret(line);
  return interpreter.read();
}
