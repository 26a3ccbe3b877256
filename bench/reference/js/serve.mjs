// Answers the runner: a line of JSON in, {do, ...arguments}; a line out, {wall, cpu, found}, in milliseconds.
import process from "node:process";
import readline from "node:readline";

/** @param {Record<string, (arguments: any) => Promise<any>>} operations */
export async function serve(operations) {
  console.log(JSON.stringify({ ready: true }));
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { do: name, ...given } = JSON.parse(line);
    let answer;
    try {
      const cpu = process.cpuUsage();
      const wall = performance.now();
      const found = await operations[name](given);
      const spent = process.cpuUsage(cpu);
      answer = { wall: performance.now() - wall, cpu: (spent.user + spent.system) / 1000, found };
    } catch (error) {
      answer = { error: error.stack };
    }
    process.stdout.write(JSON.stringify(answer) + "\n");
  }
  process.exit();
}
