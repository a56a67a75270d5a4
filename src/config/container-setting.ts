import { isIP } from 'node:net';
import { quoteValue } from './quote.ts';

/** Forms of the settings of a job's container as regular expressions without anchors; what follows below is stricter. */
export const QUANTITY = '[0-9]+(\\.[0-9]+)?([KMGT]i|[kMGT])';
export const DECIMAL = '[0-9]+(\\.[0-9]+)?';
export const NETWORK = '[A-Za-z0-9][A-Za-z0-9_.-]*';
export const ADDRESS = '[0-9A-Fa-f:.]+';

/** The units of a quantity in bytes, as Kubernetes has them. */
const UNITS: Readonly<Record<string, number>> = {
  ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};
/** Docker takes no container with less (daemon/daemon_unix.go). */
const LEAST_BYTES = 6 * 2 ** 20;
const MOST_CPUS = 1_024;

/** Bytes of a quantity such as 512Mi, or the clause that says what is wrong with it. */
export function parseQuantity(text: string): { readonly value: number } | { readonly problem: string } {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const quoted = quoteValue(text);
  if (number === '') return { problem: `${quoted} is not a quantity such as 512Mi or 4Gi` };
  if (unit === '') return { problem: `${quoted} has no unit; write a quantity such as 512Mi or 4Gi` };
  const bytes = UNITS[unit];
  if (bytes === undefined) {
    // Docker's 512m is MiB, Kubernetes' half a byte.
    const ambiguous = /^[kmgt]b?$/i.test(unit)
      ? ` means one thing to Docker and another to Kubernetes`
      : ' has no unit of these';
    return { problem: `${quoted}${ambiguous}; write ${number} with Mi, Gi (1024) or M, G (1000) behind it` };
  }
  const value = Math.round(Number(number) * bytes);
  if (value < LEAST_BYTES) return { problem: `${quoted} is less than any job can run with` };
  return Number.isSafeInteger(value) ? { value } : { problem: `${quoted} is more than any machine has` };
}

/** A number of CPUs, or the clause that says what is wrong with it. */
export function parseCpus(text: string): { readonly value: number } | { readonly problem: string } {
  const quoted = quoteValue(text);
  const [, thousandths] = /^(\d{1,9})m$/.exec(text) ?? [];
  if (thousandths !== undefined)
    return { problem: `${quoted} is Kubernetes' form; write ${Number(thousandths) / 1_000}` };
  const value = new RegExp(`^${DECIMAL}$`).test(text) ? Number(text) : Number.NaN;
  if (value >= 0.01 && value <= MOST_CPUS) return { value };
  return { problem: `${quoted} is not a number of CPUs from 0.01 to ${MOST_CPUS}, such as 1.5` };
}

/** What is wrong with the name of a network, as a clause. */
export function networkProblem(text: string): string | undefined {
  const quoted = quoteValue(text);
  if (text === 'host')
    return `${quoted} would give jobs the machine's own network, with what listens for the machine alone; name another, bridge or none`;
  if (text === 'default') return `${quoted} is another name of bridge; write that`;
  return new RegExp(`^${NETWORK}$`).test(text) ? undefined : `${quoted} is not the name of a network`;
}

/** What is wrong with an IP address, as a clause. */
export function addressProblem(text: string): string | undefined {
  return isIP(text) === 0 ? `${quoteValue(text)} is not an IP address` : undefined;
}
