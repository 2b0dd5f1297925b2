// Every kernel, compiled for one instruction set, as a table by name. TypeScript looks kernels up by these names.
#pragma once
#include "attention-backward.h"
#include "attention-pages.h"
#include "convert.h"
#include "embedding.h"
#include "linear.h"
#include "loss.h"
#include "norm.h"
#include "optimizer.h"
#include "sample.h"

static const Kernel all_kernels[] = {
    {"linearForward", linear_forward},
    {"linearBackwardInput", linear_backward_input},
    {"linearBackwardWeight", linear_backward_weight},
    {"linearBackwardBias", linear_backward_bias},
    {"normForward", norm_forward},
    {"normBackward", norm_backward},
    {"rotate", rotate},
    {"swigluForward", swiglu_forward},
    {"swigluBackward", swiglu_backward},
    {"gatherRows", gather_rows},
    {"scatterRows", scatter_rows},
    {"attentionForward", attention_forward},
    {"attentionBackward", attention_backward},
    {"attentionStore", attention_store},
    {"attentionPaged", attention_paged},
    {"lossForward", loss_forward},
    {"lossBackward", loss_backward},
    {"logitsLogprob", logits_logprob},
    {"logitsBackward", logits_backward},
    {"sampleTokens", sample_tokens},
    {"adamw", adamw},
    {"addScaled", add_scaled},
    {"scale", scale},
    {"sumOfSquares", sum_of_squares},
    {"countNonFinite", count_non_finite},
    {"fromBfloat16", from_bfloat16},
    {"toBfloat16", to_bfloat16},
    {"fromFloat16", from_float16},
    {"toFloat16", to_float16},
    {0},
};
