// Examples of the commands in the reference. A test parses each of them by the definition of the program.

/** By the path of the command. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  'konverge run': [
    'konverge run',
    'konverge run --namespaces shop,games --controllers database,databaseuser',
    'konverge run --metrics protected --metrics-port 8443 --log-level debug',
  ],
  'konverge install': [
    'konverge install --namespaces shop --image registry.example.com/konverge:1.0.0',
    'konverge install --namespaces shop --dry-run | kubectl apply --server-side -f -',
    "konverge install --namespaces shop --allow-image 'registry.example.com/*'",
  ],
  'konverge apiserver': ['konverge apiserver', 'konverge apiserver --simulated-nodes 3 --persist ./cluster'],
  'konverge dev': ['konverge dev', 'konverge dev --no-samples --persist ./cluster'],
  'konverge preview': ['konverge preview -f kv-store.yaml', 'cat kv-store.yaml | konverge preview -f -'],
  'konverge diff': [
    'konverge diff -f database.yaml',
    'konverge diff -f database.yaml --namespaces shop --context staging',
  ],
  'konverge generate': ['konverge generate --crds crds --out imports', 'konverge generate --check'],
}
