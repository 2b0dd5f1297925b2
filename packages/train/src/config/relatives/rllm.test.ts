import { describe, expect, test } from "vitest";
import { convertCommand, loaded, reasons } from "../testing/converted.ts";

describe("an rLLM command line", () => {
  const verl = String.raw`
# trains on one machine
export VLLM_USE_V1=1
python3 -m examples.verifiers_env.train \
    data.train_batch_size=64 \
    data.val_batch_size=128 \
    data.max_prompt_length=2048 data.max_response_length=1024 \
    actor_rollout_ref.model.path="Qwen/Qwen3-4B" \
    actor_rollout_ref.actor.optim.lr=1e-6 \
    actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-mean \
    actor_rollout_ref.actor.clip_ratio_high=0.28 \
    actor_rollout_ref.actor.use_kl_loss=False \
    actor_rollout_ref.actor.ppo_mini_batch_size=32 \
    actor_rollout_ref.rollout.n=8 \
    actor_rollout_ref.rollout.temperature=0.7 \
    actor_rollout_ref.rollout.val_kwargs.temperature=0.6 \
    actor_rollout_ref.rollout.gpu_memory_utilization=0.85 \
    algorithm.adv_estimator=grpo \
    rllm.mask_truncated_samples=True \
    rllm.agent.max_steps=10 \
    rllm.workflow.n_parallel_tasks=256 \
    trainer.logger=['console','wandb'] \
    trainer.project_name='math' trainer.experiment_name='math-4b' \
    trainer.total_epochs=3 trainer.test_freq=10 trainer.save_freq=40 \
    trainer.n_gpus_per_node=$GPUS \
    +verifiers.env_id=math "+verifiers.env_args={split: train, levels: [1, 2]}" +verifiers.max_samples=null
`;

  test("becomes a run that means the same: batches are counted in rollouts, clips in ratios", async () => {
    const converted = await convertCommand(verl);
    expect(converted.from).toBe("rllm-verl");
    expect(await loaded(converted)).toMatchObject({
      model: "Qwen/Qwen3-4B",
      name: "math-4b",
      groupSize: 8,
      batchSize: 512,
      epochs: 3,
      truncated: "mask",
      concurrency: 256,
      lora: false,
      sampling: { maxTokens: 1024, temperature: 0.7 },
      optimizer: { learningRate: 1e-6, weightDecay: 0.01 },
      algorithm: { type: "grpo", normaliser: "sequence", clipHigh: 1.28, normaliseByStd: true, loss: "ppo" },
      env: [{ id: "math", args: { split: "train", levels: [1, 2] }, maxTurns: 10 }],
      eval: { interval: 10, env: [{ sampling: { temperature: 0.6 } }] },
      checkpoint: { interval: 40 },
      wandb: { project: "math" },
    });
    expect(reasons(converted)).toEqual({
      "trainer.n_gpus_per_node": "$GPUS is known to the shell only",
      "data.val_batch_size": "[eval] num_tasks says how many",
      "data.max_prompt_length": "seq_len bounds prompt and reply together",
      "actor_rollout_ref.actor.ppo_mini_batch_size": "one update per batch",
      "actor_rollout_ref.rollout.gpu_memory_utilization":
        "an engine lays out its own hardware, and the environment rewards",
    });
  });

  test("for Tinker has its own defaults, and its base file is not read", async () => {
    const converted = await convertCommand(
      "python -m train --config-name=tinker_rl_trainer model.name=Qwen/Qwen3-8B model.lora_rank=16 training.group_size=4 " +
        "training.learning_rate=2e-5 training.max_length=4096 data.train_batch_size=4 data.max_response_length=1024 " +
        "sampling.temperature=1.0 sampling.top_p=1.0 validation.group_size=2 trainer.logger=[console] " +
        "trainer.project_name=x +verifiers.env_id=primeintellect/alphabet-sort rllm/backend=tinker",
    );
    expect(converted.from).toBe("rllm-tinker");
    expect(await loaded(converted)).toMatchObject({
      engine: "cpu",
      model: "Qwen/Qwen3-8B",
      groupSize: 4,
      batchSize: 16,
      seqLen: 4096,
      lora: { rank: 16 },
      optimizer: { learningRate: 2e-5 },
      eval: { groupSize: 2 },
    });
    expect(reasons(converted)).toEqual({
      "--config-name": "the base file is not read: add what it sets",
      "trainer.project_name": "wandb is not among the loggers",
      backend: "engine says what trains",
    });
  });

  test("of `rllm train` is understood by its flags", async () => {
    const converted = await convertCommand(
      "rllm train gsm8k --model Qwen/Qwen3-8B --group-size 8 --batch-size 32 --lr 2e-5 --lora-rank 32 --epochs 1 --max-examples=50 --ui",
    );
    expect(await loaded(converted)).toMatchObject({
      groupSize: 8,
      batchSize: 256,
      epochs: 1,
      lora: { rank: 32 },
      env: [{ id: "gsm8k", maxTasks: 50 }],
    });
    expect(reasons(converted)).toEqual({ "--ui": "a flag that is not known here" });
  });

  test("that cuts the distribution keeps doing it, and says so", async () => {
    const { added, ...converted } = await convertCommand(
      "main actor_rollout_ref.model.path=m actor_rollout_ref.rollout.top_p=0.9 verifiers.env_id=a",
    );
    expect(added).toMatchObject({ allow_biased_sampling: true });
    expect(await loaded({ added, ...converted })).toMatchObject({ allowBiasedSampling: true, sampling: { topP: 0.9 } });
  });
});
