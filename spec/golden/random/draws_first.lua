-- Written by draws_first_make.lua.
return {
  { name = "random", args = "", exact = false, first = {
    0.26856328700755017, 0.083596025357162262, 0.43589427749306986, 0.46392728874876543 } },
  { name = "uniform", args = "-2, 5", exact = false, first = {
    -0.12005699094714872, -1.4148278224998641, 1.0512599424514892, 1.2474910212413581 } },
  { name = "normal", args = "3, 2", exact = false, first = {
    5.8058802894825501, 4.6261566028970247, 0.48854645066031122, 3.5791765294934419 } },
  { name = "standard_normal", args = "", exact = false, first = {
    1.402940144741275, 0.81307830144851223, -1.2557267746698444, 0.28958826474672095 } },
  { name = "lognormal", args = "0.5, 0.75", exact = false, first = {
    4.7218709489965196, 3.0337780563337979, 0.64288136056257472, 2.0486708121885426 } },
  { name = "exponential", args = "3", exact = false, first = {
    0.93823373706444446, 0.26189397352936877, 1.7175407813923407, 1.8704564153766552 } },
  { name = "standard_exponential", args = "", exact = false, first = {
    0.31274457902148151, 0.087297991176456258, 0.57251359379744693, 0.62348547179221836 } },
  { name = "laplace", args = "1, 2", exact = false, first = {
    -0.24304301289317731, -2.5772242460727628, 0.725583265418144, 0.85023947248334941 } },
  { name = "logistic", args = "1, 2", exact = false, first = {
    -1.003848215970105, -3.7889226248397412, 0.4843160918931475, 0.71091605494789545 } },
  { name = "gumbel", args = "1, 2", exact = false, first = {
    0.45283063031845106, -0.81793541057094665, 1.3718025980228981, 1.5278596233670447 } },
  { name = "pareto", args = "2.5", exact = false, first = {
    0.13325931622563622, 0.035536030452816336, 0.25734887584962673, 0.2832477751782923 } },
  { name = "rayleigh", args = "2", exact = false, first = {
    1.5817574504872269, 0.8356936815673851, 2.1401188636100508, 2.2333570637803861 } },
  { name = "weibull", args = "1.5", exact = false, first = {
    0.46074418248384408, 0.19678991288953698, 0.68948348594276454, 0.72982302179764569 } },
  { name = "power", args = "2.5", exact = false, first = {
    0.88241057071609919, 0.96568344373563009, 0.79532420890285627, 0.7792727323147407 } },
  { name = "standard_cauchy", args = "", exact = false, first = {
    -0.8896724382560296, -3.7197688145931505, -0.20416179768736953, -0.11381340723881847 } },
  { name = "triangular", args = "-3, 0, 8", exact = false, first = {
    -0.022990011563757573, -1.3390759087825974, 0.95434150837483145, 1.1316378524346398 } },
  { name = "wald", args = "3, 2", exact = false, first = {
    0.63271705348279061, 1.1501987377586129, 0.727675629208692, 2.1080717667695521 } },
  { name = "gamma", args = "0.3, 2", exact = false, first = {
    2.9262510578937384, 6.6232761309747522e-06, 3.2877888976761249, 0.60795902499179355 } },
  { name = "gamma", args = "4.5, 2", exact = false, first = {
    15.473178164408896, 4.186228344679364, 20.933587042408881, 8.3075214349192485 } },
  { name = "standard_gamma", args = "1", exact = false, first = {
    2.5934990656534107, 0.07716780954881651, 4.5615274839689741, 0.66151228891906766 } },
  { name = "standard_gamma", args = "2000", exact = false, first = {
    2063.0611960353745, 1944.0375146736292, 2099.702654048257, 1999.383655985808 } },
  { name = "chisquare", args = "3", exact = false, first = {
    6.8655607321508274, 0.53609333018223904, 11.047395030911643, 2.3196875221929227 } },
  { name = "noncentral_chisquare", args = "3, 2", exact = false, first = {
    3.3141842646814386, 3.5249310867651289, 0.73249387256226905, 0.63981409493253794 } },
  { name = "f", args = "5, 20", exact = false, first = {
    1.8073407599560238, 0.36168724117353174, 4.2969920301887115, 1.904525420254535 } },
  { name = "noncentral_f", args = "5, 20, 1.5", exact = false, first = {
    1.7817345601227483, 0.63087477236785117, 0.25347408669832844, 0.27243807173599255 } },
  { name = "standard_t", args = "4", exact = false, first = {
    1.3252052451413145, 1.0025305856747238, -2.1966037385172128, 1.0087221353484446 } },
  { name = "beta", args = "2, 3", exact = false, first = {
    0.55496159409478285, 0.18843258266977403, 0.83121214148471656, 0.76586064283729294 } },
  { name = "beta", args = "0.1, 0.4", exact = false, first = {
    0.22203159982979265, 4.0601997446195921e-14, 0.79455665639432138, 0.063646894501494564 } },
  { name = "vonmises", args = "0, 2.5", exact = false, first = {
    -0.28059741633167823, -0.50296277142191725, 0.048815901346604754, 0.57811354636229106 } },
  { name = "vonmises", args = "0, 0", exact = false, first = {
    -0.84371644948684676, -1.369402259914059, 0.15485246335600142, 1.5143207310511932 } },
  { name = "integers", args = "-3, 6", exact = true, first = {
    -1, -3, 0, 1 } },
  { name = "poisson", args = "0.5", exact = true, first = {
    0, 0, 0, 0 } },
  { name = "poisson", args = "9.5", exact = true, first = {
    7, 9, 5, 9 } },
  { name = "poisson", args = "10.5", exact = true, first = {
    8, 10, 3, 10 } },
  { name = "poisson", args = "150", exact = true, first = {
    141, 148, 122, 149 } },
  { name = "binomial", args = "12, 0.3", exact = true, first = {
    3, 3, 1, 3 } },
  { name = "binomial", args = "40, 0.4", exact = true, first = {
    14, 15, 9, 16 } },
  { name = "binomial", args = "300, 0.85", exact = true, first = {
    259, 256, 269, 255 } },
  { name = "binomial", args = "50, 0.95", exact = true, first = {
    49, 48, 50, 48 } },
  { name = "geometric", args = "0.35", exact = true, first = {
    1, 1, 2, 2 } },
  { name = "negative_binomial", args = "3.5, 0.4", exact = true, first = {
    10, 0, 12, 2 } },
  { name = "logseries", args = "0.8", exact = true, first = {
    3, 2, 1, 1 } },
  { name = "zipf", args = "2.5", exact = true, first = {
    1, 1, 1, 1 } },
  { name = "hypergeometric", args = "7, 30, 5", exact = true, first = {
    0, 1, 0, 1 } },
  { name = "hypergeometric", args = "30, 7, 34", exact = true, first = {
    27, 27, 27, 27 } },
  { name = "hypergeometric", args = "15, 15, 15", exact = true, first = {
    8, 8, 9, 9 } },
  { name = "hypergeometric", args = "6, 90, 40", exact = true, first = {
    2, 2, 1, 1 } },
  { name = "hypergeometric", args = "5000, 800, 4000", exact = true, first = {
    3436, 3447, 3440, 3438 } },
  { name = "hypergeometric", args = "1000, 3000, 200", exact = true, first = {
    44, 49, 46, 45 } },
}
