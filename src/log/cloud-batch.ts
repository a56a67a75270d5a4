/** A line as Pulumi Cloud takes it (protocol section 5): `t` is its time, `l` its text. */
export interface CloudLine {
  readonly t: string;
  readonly l: string;
}

/** One call: `offset` lines of the step were accepted before it. */
export class CloudBatch {
  readonly offset: number;
  /** How many lines. */
  readonly length: number;
  /** `{"offset":…,"lines":[…]}`, ready to be sent. */
  readonly json: Buffer;

  constructor(offset: number, length: number, json: Buffer) {
    this.offset = offset;
    this.length = length;
    this.json = json;
  }

  /** Read from the JSON each time. */
  get lines(): readonly CloudLine[] {
    return JSON.parse(this.json.toString('utf8')).lines;
  }

  toJSON(): object {
    return { offset: this.offset, lines: this.lines };
  }
}
