/** bash, dash as sh, zsh-static, ksh93 and mksh, with OpenTofu. */
export const SHELLS_IMAGE = 'pulumi-runner-test/shells:1';
/** busybox, whose sh is ash, with OpenTofu. */
export const ASH_IMAGE = 'pulumi-runner-test/ash:1';

/** What tofu prints when it holds its lock, has made its first resource and is at its second. */
export const AT_WORK = '(local-exec): at work';

/** What tofu runs in a folder of its own: `slow` goes on until the file `quick` is there. */
const program = (work: string) => `
resource "terraform_data" "first" {}
resource "terraform_data" "slow" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" {
    command = "[ -e quick ] || { echo at work; ${work}; }"
  }
}
`;
/**
 * Waits, and leaves its end to tofu: tofu persists its state once more when it stops, beside its own end, and a process that ends at
 * the interrupt itself lets it exit behind the truncation of the file (opentofu 1.12, `go tfCtx.Stop()` in internal/backend/local).
 */
const WAITING = "trap '' INT; exec sleep 60";
/** Takes some 40 MB more each second, for ever. */
export const GROWING = 'while :; do head -c 8m /dev/zero; sleep 0.2; done | tail >/dev/null';
const APPLY = 'tofu apply -auto-approve -no-color';

/** How a step's script comes to run tofu. */
export const SHAPES = {
  child: (_: string) => `${APPLY}; code=$?; echo "tofu ended with $code"; exit $code`,
  grandchild: (shell: string) => `echo '${APPLY}; exit $?' > inner; ${shell} ./inner; exit $?`,
  pipe: (_: string) => `${APPLY} | tee log`,
  exec: (_: string) => `exec ${APPLY}`,
} as const;
export type Shape = keyof typeof SHAPES;

/** A step's script that works in `parent`'s folder `shape`; it says AT_WORK when it may be interrupted. */
export function workOf(shape: Shape, shell: string, parent = '/tmp', work = WAITING): string {
  return `mkdir -p ${parent}/${shape}; cd ${parent}/${shape}
cat > main.tf <<'END'
${program(work)}
END
${SHAPES[shape](shell)}`;
}

/** A script that says how the interrupt left each of the folders, and then applies again; three lines for each. */
export function aftermathOf(shapes: readonly Shape[], parent = '/tmp'): string {
  return `for shape in ${shapes.join(' ')}; do
cd ${parent}/$shape
if [ -e .terraform.tfstate.lock.info ]; then echo "$shape: still locked"; else echo "$shape: free"; fi
if grep -q '"name": "first"' terraform.tfstate; then echo "$shape: state written"; else echo "$shape: no state"; ls -la; cat terraform.tfstate; fi
touch quick
# What it finds in the state it doesn't make again.
if ${APPLY} > again 2>&1 && grep -q 'first: Refreshing state' again; then echo "$shape: applied again"; else cat again; fi
done`;
}

/** What `aftermathOf` prints where everything ended in order. */
export function orderly(shapes: readonly Shape[]): string {
  return shapes.map((shape) => `${shape}: free\n${shape}: state written\n${shape}: applied again\n`).join('');
}
