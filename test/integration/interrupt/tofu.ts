/** bash, dash as sh, zsh-static, ksh93 and mksh, with OpenTofu. */
export const SHELLS_IMAGE = 'pulumi-runner-test/shells:1';
/** busybox, whose sh is ash, with OpenTofu. */
export const ASH_IMAGE = 'pulumi-runner-test/ash:1';

/** What tofu prints once it holds its lock, has made its first resource and works on its second. */
export const AT_WORK = '(local-exec): at work';

/**
 * Ignores the interrupt, so that tofu ends it: tofu persists its state again as it stops, and would exit with the file
 * just truncated if this ended by itself (opentofu 1.12, `go tfCtx.Stop()` in internal/backend/local).
 */
const WAITING = "trap '' INT; exec sleep 60";
/** tofu's configuration; `slow` waits unless the file `quick` exists. */
const PROGRAM = `
resource "terraform_data" "first" {}
resource "terraform_data" "slow" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" {
    command = "[ -e quick ] || { echo at work; ${WAITING}; }"
  }
}
`;

const APPLY = 'tofu apply -auto-approve -no-color';

/** The ways for a step's script to run tofu. */
export const SHAPES = {
  child: (_: string) => `${APPLY}; code=$?; echo "tofu ended with $code"; exit $code`,
  grandchild: (shell: string) => `echo '${APPLY}; exit $?' > inner; ${shell} ./inner; exit $?`,
  pipe: (_: string) => `${APPLY} | tee log`,
  exec: (_: string) => `exec ${APPLY}`,
} as const;
export type Shape = keyof typeof SHAPES;

/** A step's script that works in the folder /tmp/SHAPE, and prints AT_WORK once it may be interrupted. */
export function workOf(shape: Shape, shell: string): string {
  return `mkdir -p /tmp/${shape}; cd /tmp/${shape}
cat > main.tf <<'END'
${PROGRAM}
END
${SHAPES[shape](shell)}`;
}

/** A script that says how the interrupt left each folder, then applies again; prints three lines for each. */
export function aftermathOf(shapes: readonly Shape[]): string {
  return `for shape in ${shapes.join(' ')}; do
cd /tmp/$shape
if [ -e .terraform.tfstate.lock.info ]; then echo "$shape: still locked"; else echo "$shape: free"; fi
if grep -q '"name": "first"' terraform.tfstate; then echo "$shape: state written"; else echo "$shape: no state"; ls -la; cat terraform.tfstate; fi
touch quick
# What it finds in the state it doesn't make again.
if ${APPLY} > again 2>&1 && grep -q 'first: Refreshing state' again; then echo "$shape: applied again"; else cat again; fi
done`;
}

/** What `aftermathOf` prints if everything ended gracefully. */
export function orderly(shapes: readonly Shape[]): string {
  return shapes.map((shape) => `${shape}: free\n${shape}: state written\n${shape}: applied again\n`).join('');
}
