/** How the text of a setting is read; `none` is accepted and never read. */
export type KeyType =
  | 'secret' // a word that no message or log may show
  | 'word' // without white space
  | 'text'
  | 'certificates' // PEM text, or the path of such a file
  | 'template' // YAML, or the path of such a file; in a configuration file also as a mapping
  | 'path' // absolute, or relative to the working directory
  | 'url'
  | 'boolean' // as Go's strconv.ParseBool
  | 'count'
  | 'port'
  | 'duration' // Go's; milliseconds in AgentConfig
  | 'lifetime' // a duration or plain seconds; seconds in AgentConfig
  | 'choice'
  | 'choices'
  | 'names' // of environment variables
  | 'images'
  | 'image-patterns'
  | 'volume' // name=/path
  | 'quantity' // as Kubernetes writes it; bytes in AgentConfig
  | 'decimal'
  | 'network' // a container network's name
  | 'address' // of IP
  | 'addresses'
  | 'stacks' // org/project/stack, the last two with * and ?
  | 'none';

export interface KeyDefinition {
  readonly type: KeyType;
  /** One line for `--help`. */
  readonly help: string;
  /** As it would stand in the environment; read like any other value. */
  readonly default?: string;
  /** A default that depends on other things, in words; whoever loads the configuration works it out. */
  readonly computedDefault?: string;
  /** What leaving it unset means, in words; it is then absent from AgentConfig. */
  readonly unsetMeans?: string;
  readonly choices?: readonly string[];
  /** The smallest `count`. */
  readonly minimum?: number;
  /** A `duration` may be zero. */
  readonly zero?: true;
  /** A `duration` that no timer waits for may be of any length. */
  readonly untimed?: true;
  /** The unit that a plain number has in one of the environment variables. */
  readonly plainUnit?: Readonly<Record<string, string>>;
  /** Instead of PULUMI_AGENT_<KEY>. */
  readonly environment?: readonly string[];
  /** Not a key of the file, nor a flag. */
  readonly environmentOnly?: true;
  /** Not one of Pulumi's own settings. */
  readonly extension?: true;
  /** Those of `choices` that are still to come: they are refused. */
  readonly unbuilt?: readonly string[];
  /** The one target that it acts on; on any other it is a notice. */
  readonly target?: 'docker' | 'kubernetes';
  /** Why setting it changes nothing: a clause that follows the name in a notice. */
  readonly noEffect?: string;
}
