import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type MetricName, metricOf } from './metric-table.ts';

type Labels = Readonly<Record<string, string>>;
type Of<T extends string> = { [K in MetricName]: (typeof METRICS)[K]['type'] extends T ? K : never }[MetricName];
export type CounterName = Of<'counter'>;
export type HistogramName = Of<'histogram'>;
export type GaugeName = Of<'gauge'>;

/** Every metric of the table, held by prom-client. */
export class Prometheus {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();

  constructor() {
    const registers = [this.#registry];
    for (const name of Object.keys(METRICS) as MetricName[]) {
      const { type, help, labels = {}, buckets = [] } = metricOf(name);
      const common = { name, help, labelNames: Object.keys(labels), registers };
      if (type === 'counter') this.#counters.set(name, new Counter(common));
      else if (type === 'gauge') this.#gauges.set(name, new Gauge(common));
      else this.#histograms.set(name, new Histogram({ ...common, buckets: [...buckets] }));
    }
    this.#begin();
  }

  /** Of the answer that carries `text()`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  add(name: CounterName, value: number, labels: Labels = {}): void {
    this.#counters.get(name)?.inc(labels, value);
  }

  /** Sets a counter that something else counts. */
  setTotal(name: CounterName, value: number): void {
    const counter = this.#counters.get(name);
    counter?.reset();
    counter?.inc(value);
  }

  set(name: GaugeName, value: number, labels: Labels = {}): void {
    this.#gauges.get(name)?.set(labels, value);
  }

  observe(name: HistogramName, seconds: number, labels: Labels = {}): void {
    this.#histograms.get(name)?.observe(labels, seconds);
  }

  /** The whole in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** A counter begins at 0, so that its first rise is seen as one. Two labels would make more series than will ever be used. */
  #begin(): void {
    for (const [name, counter] of this.#counters) {
      const [label, ...others] = Object.entries(metricOf(name as MetricName).labels ?? {});
      if (label === undefined || others.length > 0) continue;
      for (const value of label[1]) counter.inc({ [label[0]]: value }, 0);
    }
  }
}
